#include "libteam/report/report_style.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "libteam/base/error.h"

namespace team {

namespace {

// Every colour of a picture, and its replacement on a dark screen.
constexpr std::array<std::pair<std::string_view, std::string_view>, 24> kDark = {{
    {"#ffffff", "#0d1117"}, {"#1f2328", "#e6edf3"}, {"#57606a", "#9198a1"}, {"#6e7781", "#8b949e"},
    {"#8c959f", "#6e7681"}, {"#d8dee4", "#30363d"}, {"#f6f8fa", "#151b23"}, {"#eef1f4", "#21262d"},
    {"#d8f5dd", "#12361f"}, {"#2da44e", "#3fb950"}, {"#fff3c4", "#3d2e00"}, {"#bf8700", "#d29922"},
    {"#ffdcd7", "#4c1512"}, {"#cf222e", "#f85149"}, {"#f6e8fa", "#2f1a45"}, {"#8250df", "#a371f7"},
    {"#0969da", "#58a6ff"}, {"#f5b971", "#8a5a1c"}, {"#54aeff", "#388bfd"}, {"#c8d1da", "#3d444d"},
    {"#b6e3ff", "#1f4b7a"}, {"#e8830c", "#f0883e"}, {"#a475f9", "#bc8cff"}, {"#ff8182", "#ff7b72"},
}};

constexpr std::string_view kPageRules = R"(
:root{color-scheme:light dark}
body{margin:0 auto;max-width:1200px;padding:24px;background:#ffffff;color:#1f2328;font:15px/1.45 system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif}
h1{font-size:26px;margin:0 0 4px}
h2{font-size:19px;margin:36px 0 10px;padding-bottom:4px;border-bottom:1px solid #d8dee4}
h3{font-size:15px;margin:20px 0 6px}
p{margin:6px 0}
nav a{margin-right:14px;color:#0969da}
.note{color:#57606a}
.totals{display:grid;grid-template-columns:repeat(auto-fill,minmax(215px,1fr));gap:10px;margin:0}
.totals div{border:1px solid #d8dee4;border-radius:8px;padding:8px 12px}
.totals dt{color:#57606a;font-size:13px}
.totals dd{margin:0;font-size:20px;font-weight:600}
.totals dd small{display:block;font-size:12px;font-weight:400;color:#57606a}
table{border-collapse:collapse;width:100%;font-size:14px}
th,td{text-align:left;vertical-align:top;padding:4px 14px 4px 0;border-bottom:1px solid #d8dee4;overflow-wrap:anywhere;unicode-bidi:isolate}
th{color:#57606a;font-weight:600;white-space:nowrap}
td.number,th.number{text-align:right;padding-right:18px;white-space:nowrap;font-variant-numeric:tabular-nums}
td.fixed{white-space:nowrap;font-variant-numeric:tabular-nums}
tfoot td{font-weight:600}
tbody tr.failed td:first-child{color:#cf222e;font-weight:600}
.picture{overflow:auto;max-height:90vh;border:1px solid #d8dee4;border-radius:8px;margin:8px 0}
.picture svg{display:block}
.timeline svg{max-width:100%;height:auto}
.sequence td,.sequence th{border:0;padding:0 10px 0 0;vertical-align:middle;overflow-wrap:normal}
.sequence td:last-child{width:100%;max-width:0;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.sequence .name{max-width:220px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.sequence svg{display:block}
.sequence tbody tr:nth-child(even){background:#f6f8fa}
@media screen and (prefers-color-scheme:dark){
body{background:#0d1117;color:#e6edf3}
h2,.totals div,th,td,.picture{border-color:#30363d}
.note,.totals dt,.totals dd small,th{color:#9198a1}
nav a{color:#58a6ff}
tbody tr.failed td:first-child{color:#f85149}
.sequence tbody tr:nth-child(even){background:#151b23}
}
@media print{
body{max-width:none;padding:0;font-size:10pt}
table{font-size:9pt}
nav{display:none}
h2{break-after:avoid}
tr,.totals div{break-inside:avoid}
thead{display:table-header-group}
.picture{overflow:visible;max-height:none;border:0;margin:4px 0}
.picture svg{max-width:100%;height:auto}
.timeline{break-inside:avoid}
.sequence td:last-child{white-space:normal}
.sequence svg{height:18px;width:auto}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
)";

}  // namespace

std::string dark_rules(std::string_view scope) {
  std::string rules = "@media screen and (prefers-color-scheme:dark){\n";
  for (const auto& [light, dark] : kDark) {
    rules += fmt::format("{0}[fill=\"{1}\"]{{fill:{2}}}{0}[stroke=\"{1}\"]{{stroke:{2}}}\n", scope, light, dark);
  }
  return rules + "}\n";
}

std::string_view page_rules() { return kPageRules; }

std::string describe_duration(double seconds) {
  const double length = std::max(seconds, 0.0);
  if (length < 0.005) return "0 s";
  if (length < 10) return fmt::format("{:.2f} s", length);
  if (length < 100) return fmt::format("{:.1f} s", length);
  const auto whole = static_cast<std::int64_t>(std::llround(std::min(length, 1e15)));
  const auto in_two = [](std::int64_t large, std::string_view large_unit, std::int64_t small,
                         std::string_view small_unit) {
    return fmt::format("{} {} {:02} {}", large, large_unit, small, small_unit);
  };
  if (whole < 3600) return in_two(whole / 60, "min", whole % 60, "s");
  if (whole < 86400) return in_two(whole / 3600, "h", whole % 3600 / 60, "min");
  return in_two(whole / 86400, "d", whole % 86400 / 3600, "h");
}

}  // namespace team
