// The reference: a program that only starts and ends. Built static and dynamic; the string keeps the C++ library in.
#include <string>

int main(int argc, char** argv) { return std::string(argv[0]).size() + static_cast<std::size_t>(argc) == 0 ? 1 : 0; }
