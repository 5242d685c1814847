// Time along a line of a picture, with ticks in steps that people count in: from hundredths of a second to months.
#pragma once

#include <string>
#include <vector>

namespace team {

class TimeScale {
 public:
  // From `start` at `left` for `length` seconds; one without a length is drawn as if it had one.
  TimeScale(double start, double length, double left, double width);

  // Where a moment stands; never outside.
  double x(double moment) const;

  struct Tick {
    double x = 0;
    std::string elapsed;  // since the start
    std::string clock;    // the time of day; with the date where there are several days
  };
  // At most 10.
  std::vector<Tick> ticks() const;

 private:
  std::string describe_elapsed(double seconds) const;
  std::string describe_clock(double seconds) const;

  double start_, length_, left_, width_;
  double step_ = 1;
};

}  // namespace team
