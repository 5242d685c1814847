#include "libteam/base/columns.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "libteam/base/utf8.h"

namespace team {

namespace {

struct Range {
  std::uint32_t from, to;
};

// Zero width: combining marks, joiners, variation selectors.
constexpr Range kZeroWidth[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD},  {0x0610, 0x061A},
                                {0x064B, 0x065F}, {0x0900, 0x0902}, {0x0E31, 0x0E31},  {0x0E34, 0x0E3A},
                                {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},  {0x200B, 0x200F},
                                {0x202A, 0x202E}, {0x2060, 0x2064}, {0x20D0, 0x20FF},  {0xFE00, 0xFE0F},
                                {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF}};

// Double width: Hangul, CJK, fullwidth forms, emoji.
constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x25FD, 0x25FE},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x26A1, 0x26A1},   {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},
    {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F5},   {0x26FA, 0x26FD},   {0x2705, 0x2705},
    {0x270A, 0x270B},   {0x2728, 0x2728},   {0x274C, 0x274E},   {0x2753, 0x2757},   {0x2795, 0x2797},
    {0x27B0, 0x27B0},   {0x2B1B, 0x2B1C},   {0x2B50, 0x2B55},   {0x2E80, 0x303E},   {0x3041, 0x33FF},
    {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F004, 0x1F004},
    {0x1F18E, 0x1F19A}, {0x1F200, 0x1F320}, {0x1F32D, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F7E0, 0x1F7EB},
    {0x1F900, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD}};

template <std::size_t N>
bool within(std::uint32_t code, const Range (&ranges)[N]) {
  const auto* found = std::upper_bound(std::begin(ranges), std::end(ranges), code,
                                       [](std::uint32_t c, const Range& range) { return c < range.from; });
  return found != std::begin(ranges) && code <= (found - 1)->to;
}

std::size_t columns_of(const Character& character) {
  if (character.code < 0x300) return character.code < 0x20 ? 0 : 1;
  if (within(character.code, kZeroWidth)) return 0;
  return within(character.code, kWide) ? 2 : 1;
}

}  // namespace

std::size_t columns(std::string_view text) {
  std::size_t sum = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = decode_character(text.substr(at));
    sum += columns_of(character);
    at += character.length;
  }
  return sum;
}

std::string cut_columns(std::string_view text, std::size_t most) { return cut_by(text, most, columns_of); }

}  // namespace team
