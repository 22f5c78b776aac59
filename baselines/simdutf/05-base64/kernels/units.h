// Code units as the kernels take them: plain integers.
#ifndef KERNELS_UNITS_H
#define KERNELS_UNITS_H

#include <cstdint>

namespace kernels {

inline const uint8_t *plain(const char *p) { return reinterpret_cast<const uint8_t *>(p); }
inline const uint16_t *plain(const char16_t *p) { return reinterpret_cast<const uint16_t *>(p); }
inline const uint32_t *plain(const char32_t *p) { return reinterpret_cast<const uint32_t *>(p); }
inline uint8_t *plain(char *p) { return reinterpret_cast<uint8_t *>(p); }
inline uint16_t *plain(char16_t *p) { return reinterpret_cast<uint16_t *>(p); }
inline uint32_t *plain(char32_t *p) { return reinterpret_cast<uint32_t *>(p); }

} // namespace kernels

#endif
