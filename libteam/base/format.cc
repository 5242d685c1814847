// The compiled half of fmt. Debian ships it only as a shared library and our programs are static, so it is built here
// once, from fmt's own header. All other files include only its thin declarations.
#include <fmt/format-inl.h>

namespace fmt {
inline namespace v9 {
namespace detail {

template void buffer<char>::append(const char*, const char*);
template void vformat_to(buffer<char>&, string_view, basic_format_args<buffer_context<char>>, locale_ref);
template thousands_sep_result<char> thousands_sep_impl(locale_ref);
template char decimal_point_impl(locale_ref);
template dragonbox::decimal_fp<float> dragonbox::to_decimal(float) noexcept;
template dragonbox::decimal_fp<double> dragonbox::to_decimal(double) noexcept;

}  // namespace detail
}  // namespace v9
}  // namespace fmt
