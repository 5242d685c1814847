// The style of a report: colours on paper and on a dark screen, fonts, durations as text.
//
// Pictures have their colours as attributes, so that they are readable without CSS. A style replaces the colours on a
// dark screen.
#pragma once

#include <string>
#include <string_view>

namespace team {

namespace colour {
inline constexpr std::string_view kPaper = "#ffffff";
inline constexpr std::string_view kInk = "#1f2328";
inline constexpr std::string_view kFaint = "#57606a";
inline constexpr std::string_view kGrid = "#d8dee4";
inline constexpr std::string_view kBand = "#f6f8fa";
inline constexpr std::string_view kUntaken = "#f5b971";
inline constexpr std::string_view kWorking = "#0969da";
}  // namespace colour

// The font of all pictures. A character is 0.6 of the size wide, so the width of a text is known.
inline constexpr std::string_view kTypeface =
    "'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', 'Noto Sans Mono CJK SC', monospace";

// CSS rules for a dark screen, limited to the selector `scope` ("" for all elements).
std::string dark_rules(std::string_view scope);

// The style of the page around the pictures, on every kind of screen and on paper.
std::string_view page_rules();

// "0.35 s", "12.4 s", "3 min 05 s", "2 h 10 min", "3 d 4 h".
std::string describe_duration(double seconds);

// "2026-11-16 10:23:56", in the local time zone.
std::string describe_moment(double timestamp);

}  // namespace team
