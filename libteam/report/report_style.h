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
inline constexpr std::string_view kLine = "#6e7781";
inline constexpr std::string_view kWrong = "#cf222e";
}  // namespace colour

// The colours of a box.
struct BoxColours {
  std::string_view fill, stroke;
};
namespace colour {
inline constexpr BoxColours kReady = {kPaper, kFaint};
inline constexpr BoxColours kWaiting = {"#eef1f4", "#8c959f"};
inline constexpr BoxColours kInProgress = {"#fff3c4", "#bf8700"};
inline constexpr BoxColours kCompleted = {"#d8f5dd", "#2da44e"};
inline constexpr BoxColours kFailed = {"#ffdcd7", kWrong};
inline constexpr BoxColours kMissing = {kPaper, kWrong};
inline constexpr BoxColours kBroken = {"#f6e8fa", "#8250df"};
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

}  // namespace team
