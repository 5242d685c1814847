// The pages of `.tasks/.index` as items: header, records, edges, bitmaps.
//
// Changes stay in memory until save(). Damage of a page is found when an item on it is used: any access may throw
// Damage.
#pragma once

#include <cstdint>
#include <string>

#include "libteam/store/files/index_layout.h"
#include "libteam/system/file.h"
#include "libteam/system/paged_file.h"

namespace team {

class IndexFile {
 public:
  using Header = index_layout::Header;
  using Record = index_layout::Record;
  using Edge = index_layout::Edge;
  using Hint = index_layout::Hint;
  using Bitmap = std::uint64_t[index_layout::kBitmapBytes / 8];    // of a lane: a bit per id of a chunk
  using Summary = std::uint64_t[index_layout::kSummaryBytes / 8];  // of a lane: a bit per chunk

  // `folder` outlives this.
  explicit IndexFile(const Folder& folder);

  const Header& header() { return file_.get<Header>(0); }
  const Record& record(TaskId id) { return file_.get<Record>(index_layout::record_offset(id)); }
  const Edge& edge(std::uint32_t edge) { return file_.get<Edge>(index_layout::edge_offset(edge)); }
  const Hint& hint(std::uint64_t key) { return file_.get<Hint>(index_layout::hint_offset(key)); }
  const Bitmap& bitmap(std::uint8_t lane, std::uint64_t chunk) {
    return file_.get<Bitmap>(index_layout::bitmap_offset(lane, chunk));
  }
  const Summary& summary(std::uint8_t lane) { return file_.get<Summary>(index_layout::summary_offset(lane)); }

  // The same, to be changed. A reference is valid until reset().
  Header& edit_header() { return file_.edit<Header>(0); }
  Record& edit_record(TaskId id) { return file_.edit<Record>(index_layout::record_offset(id)); }
  Edge& edit_edge(std::uint32_t edge) { return file_.edit<Edge>(index_layout::edge_offset(edge)); }
  Hint& edit_hint(std::uint64_t key) { return file_.edit<Hint>(index_layout::hint_offset(key)); }
  Bitmap& edit_bitmap(std::uint8_t lane, std::uint64_t chunk) {
    return file_.edit<Bitmap>(index_layout::bitmap_offset(lane, chunk));
  }
  Summary& edit_summary(std::uint8_t lane) { return file_.edit<Summary>(index_layout::summary_offset(lane)); }

  // True if nothing in it can be used: another version, boot or folder, or it was not written to its end.
  bool is_void();
  // Removes all contents.
  void reset();
  // Writes, before files are changed, that they are being changed.
  void begin();
  // A replaced file could not be removed: from now on save() leaves the mark of begin(), so that the next writer
  // sweeps.
  void expect_leftover() { has_leftover_ = true; }
  // Writes all changes. A full disk only costs the cache: the next reader sees that this was not finished.
  void save();

  // The boot id as it is in the header.
  const std::string& boot() const { return boot_; }

 private:
  const Folder& folder_;
  PagedFile file_;
  std::string boot_;
  bool has_leftover_ = false;
};

}  // namespace team
