#include "libteam/agent/model/http.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <set>

#include "libteam/agent/model/address.h"
#include "libteam/agent/model/provider.h"
#include "libteam/agent/model/wire_text.h"
#include "libteam/base/clock.h"
#include "libteam/base/environment_variable.h"
#include "libteam/base/error.h"
#include "libteam/base/terminal_text.h"
#include "libteam/system/event_fd.h"

namespace team {

namespace {

using Kind = ModelError::Kind;

constexpr std::size_t kMostOfBody = 64 * 1024;  // of the body; the rest is read and dropped
constexpr std::size_t kMostDropped = std::size_t{1} << 20;
constexpr std::size_t kMostHeaders = 200;
constexpr std::size_t kLongestHeader = 8 * 1024;
constexpr double kGrace = 0.2;  // wait for the end of a complete stream, to reuse its connection

bool is_loopback(const std::string& url) {
  const std::string host = host_of(url);
  return host.starts_with("localhost") || host.starts_with("127.") || host.starts_with("[::1]");
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t start = text.find_first_not_of(kBlanks);
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(kBlanks) - start + 1);
}

// Whether a retry can help. A wrong address or certificate stays wrong.
Kind kind_of(CURLcode code) {
  switch (code) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH: return Kind::final;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT: return Kind::unreachable;
    default: return Kind::passing;
  }
}

std::set<int> open_descriptors() {
  std::set<int> descriptors;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    descriptors.insert(std::atoi(entry.path().filename().c_str()));
  }
  // The descriptor of the listing itself is closed by now.
  std::erase_if(descriptors, [](int fd) { return ::fcntl(fd, F_GETFD) < 0; });
  return descriptors;
}

// One request and its answer.
class Transfer {
 public:
  Transfer(const HttpRequest& request, const Http::Limits& limits, const Http::Hear& hear)
      : limits_(limits), hear_(hear), easy_(curl_easy_init()) {
    if (easy_ == nullptr) throw ModelError(Kind::final, "curl does not start");
    for (const auto& [name, value] : request.headers) add_header(name + ": " + value);
    add_header("content-type: application/json");
    add_header(hear ? "accept: text/event-stream" : "accept: application/json");
    add_header("expect:");  // curl must not wait for "100 Continue", which few servers send
    set(CURLOPT_URL, request.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_USERAGENT, "teamkit/" TEAMKIT_VERSION);
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDS, request.body.data());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    set(CURLOPT_HTTPHEADER, headers_);
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_SSL_VERIFYPEER, 1L);
    set(CURLOPT_SSL_VERIFYHOST, 2L);
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits.connect_seconds * 1000));
    set(CURLOPT_TCP_KEEPALIVE, 1L);
    set(CURLOPT_NOSIGNAL, 1L);
    // An interruption must not wait for a name server.
    set(CURLOPT_QUICK_EXIT, 1L);
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    set(CURLOPT_ERRORBUFFER, reason_);
    if (is_loopback(request.url)) set(CURLOPT_PROXY, "");
    if (const auto file = environment_variable("SSL_CERT_FILE")) set(CURLOPT_CAINFO, file->c_str());
    // Programs that we start must not inherit our connections.
    curl_opensocket_callback open = [](void*, curlsocktype, curl_sockaddr* address) -> curl_socket_t {
      return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    };
    set(CURLOPT_OPENSOCKETFUNCTION, open);
    curl_write_callback on_header = [](char* data, std::size_t size, std::size_t count, void* self) {
      return static_cast<Transfer*>(self)->take_header({data, size * count});
    };
    set(CURLOPT_HEADERFUNCTION, on_header);
    set(CURLOPT_HEADERDATA, this);
    curl_write_callback on_body = [](char* data, std::size_t size, std::size_t count, void* self) {
      return static_cast<Transfer*>(self)->take_body({data, size * count});
    };
    set(CURLOPT_WRITEFUNCTION, on_body);
    set(CURLOPT_WRITEDATA, this);
    curl_xferinfo_callback on_progress = [](void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t sent) {
      static_cast<Transfer*>(self)->take_progress(sent);
      return 0;
    };
    set(CURLOPT_XFERINFOFUNCTION, on_progress);
    set(CURLOPT_XFERINFODATA, this);
    set(CURLOPT_NOPROGRESS, 0L);
  }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  ~Transfer() {
    if (multi_ != nullptr) curl_multi_remove_handle(multi_, easy_);
    curl_easy_cleanup(easy_);
    curl_slist_free_all(headers_);
  }

  HttpAnswer run(CURLM* multi, int interrupt) {
    if (curl_multi_add_handle(multi, easy_) != CURLM_OK) throw ModelError(Kind::final, "curl does not start");
    multi_ = multi;
    while (true) {
      if (can_be_read(interrupt)) throw ModelError(Kind::interrupted, "interrupted");
      int running = 0;
      if (curl_multi_perform(multi, &running) != CURLM_OK) throw ModelError(Kind::passing, "curl failed");
      if (const auto result = ended()) return conclude(*result);
      if (grace_.passed()) return conclude(CURLE_OK);
      if (silence_.passed()) {
        throw ModelError(Kind::passing, fmt::format("nothing came for {} s", limits_.silence_seconds));
      }
      if (end_.passed()) {
        throw ModelError(Kind::passing, fmt::format("the answer did not end within {} s", limits_.answer_seconds));
      }
      curl_waitfd waiting{interrupt, CURL_WAIT_POLLIN, 0};
      curl_multi_poll(multi, &waiting, interrupt >= 0 ? 1 : 0, silence_.or_at(grace_).or_at(end_).left_ms(), nullptr);
    }
  }

 private:
  template <class Value>
  void set(CURLoption option, Value value) {
    if (curl_easy_setopt(easy_, option, value) != CURLE_OK) throw ModelError(Kind::final, "curl does not start");
  }

  // 0: no limit.
  Deadline silence() const {
    return limits_.silence_seconds > 0 ? Deadline::in(limits_.silence_seconds) : Deadline::never();
  }

  void add_header(const std::string& line) { headers_ = curl_slist_append(headers_, line.c_str()); }

  std::optional<CURLcode> ended() const {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
      if (message->msg == CURLMSG_DONE && message->easy_handle == easy_) return message->data.result;
    }
    return std::nullopt;
  }

  HttpAnswer conclude(CURLcode result) {
    if (thrown_) std::rethrow_exception(thrown_);
    look_at_status();
    // The text of an error counts even if its end was lost.
    const bool told = has_enough_ || (answer_.status != 0 && !is_stream());
    if (result != CURLE_OK && !told) {
      const std::string reason = reason_[0] != '\0' ? reason_ : curl_easy_strerror(result);
      throw ModelError(kind_of(result), one_line(reason));
    }
    answer_.is_heard = is_stream();
    return std::move(answer_);
  }

  std::size_t take_header(std::string_view line) {
    silence_ = silence();
    const std::size_t size = line.size();
    line = trim(line.substr(0, kLongestHeader));
    const std::size_t colon = line.find(':');
    // A new status line: the headers before belong to a preliminary answer.
    if (line.starts_with("HTTP/")) answer_.headers.clear();
    else if (colon != std::string_view::npos && answer_.headers.size() < kMostHeaders)
      answer_.headers.emplace_back(lower(trim(line.substr(0, colon))), trim(line.substr(colon + 1)));
    return size;
  }

  std::size_t take_body(std::string_view piece) {
    silence_ = silence();
    look_at_status();
    if (!is_stream()) {
      dropped_ += piece.size();
      answer_.body += piece.substr(0, kMostOfBody - answer_.body.size());
      return dropped_ > kMostDropped ? 0 : piece.size();
    }
    if (has_enough_) return piece.size();
    // No exception may pass through curl.
    try {
      has_enough_ = hear_(piece) == Http::Wants::nothing;
    } catch (...) {
      thrown_ = std::current_exception();
      return 0;
    }
    if (has_enough_) grace_ = Deadline::in(kGrace);
    return piece.size();
  }

  void take_progress(curl_off_t sent) {
    if (sent == sent_) return;
    sent_ = sent;
    silence_ = silence();
  }

  void look_at_status() {
    long status = 0;
    curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
    answer_.status = static_cast<int>(status);
  }

  // Some servers stream without saying so. A JSON object or an HTML page is not a stream.
  bool is_stream() const {
    if (!hear_ || answer_.status < 200 || answer_.status > 299) return false;
    for (const auto& [name, value] : answer_.headers) {
      if (name != "content-type") continue;
      const std::string type = lower(value);
      return !type.starts_with("application/json") && !type.starts_with("text/html");
    }
    return true;
  }

  const Http::Limits& limits_;
  const Http::Hear& hear_;
  CURL* easy_;
  CURLM* multi_ = nullptr;
  curl_slist* headers_ = nullptr;
  char reason_[CURL_ERROR_SIZE] = "";
  HttpAnswer answer_;
  std::exception_ptr thrown_;
  std::size_t dropped_ = 0;
  curl_off_t sent_ = 0;
  bool has_enough_ = false;
  Deadline silence_ = silence();
  Deadline grace_ = Deadline::never();
  const Deadline end_ = limits_.answer_seconds > 0 ? Deadline::in(limits_.answer_seconds) : Deadline::never();
};

}  // namespace

struct Http::Curl {
  Curl() {
    static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
    const std::set<int> before = open_descriptors();
    multi = started == CURLE_OK ? curl_multi_init() : nullptr;
    if (multi == nullptr) fail(Code::io, "curl does not start");
    // curl opens sockets to wake itself; programs that we start must not inherit them.
    for (const int fd : open_descriptors()) {
      if (!before.contains(fd)) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
  }
  Curl(const Curl&) = delete;
  Curl& operator=(const Curl&) = delete;
  ~Curl() { curl_multi_cleanup(multi); }
  CURLM* multi;
};

Http::Http(const Limits& limits) : limits_(limits), curl_(std::make_unique<Curl>()) {}
Http::~Http() = default;

HttpAnswer Http::post(const HttpRequest& request, int interrupt, const Hear& hear) {
  Transfer transfer(request, limits_, hear);
  return transfer.run(curl_->multi, interrupt);
}

}  // namespace team
