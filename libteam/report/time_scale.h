// The time axis of a picture, with ticks in human units from hundredths of a second to months.
#pragma once

#include <string>
#include <vector>

namespace team {

class TimeScale {
 public:
  // Starts at time `start` and position `left` and covers `length` seconds; a zero length is drawn as a short one.
  TimeScale(double start, double length, double left, double width);

  // The position of a moment, clamped to the axis.
  double x(double moment) const;

  struct Tick {
    double x = 0;
    std::string elapsed;  // since the start
    std::string clock;    // the time of day, with the date if the axis covers several days
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
