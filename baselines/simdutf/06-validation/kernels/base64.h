// Step 05: base64.
#ifndef KERNELS_BASE64_H
#define KERNELS_BASE64_H

#include "latin1.h"

namespace kernels {

enum class alphabet { standard, url, either };

// For AVX2. `line`: characters of a line, a multiple of four, after each of which there is a line
// feed; 0 for none.
progress base64_encode(const uint8_t *in, size_t n, uint8_t *out, alphabet letters, size_t line);

// For AVX2. Stops before the first character that is neither of the alphabet nor white space, after
// a multiple of four others.
progress base64_decode(const uint8_t *in, size_t n, uint8_t *out, alphabet letters);
progress base64_decode(const uint16_t *in, size_t n, uint8_t *out, alphabet letters);

class base64 : public latin1 {
  using result = simdutf::result;
  using options = simdutf::base64_options;
  using last_chunk = simdutf::last_chunk_handling_options;

public:
  using latin1::latin1;

  size_t binary_to_base64(const char *in, size_t n, char *out, options o) const noexcept override;
  size_t binary_to_base64_with_lines(const char *in, size_t n, char *out, size_t line,
                                     options o) const noexcept override;
  result base64_to_binary(const char *in, size_t n, char *out, options o,
                          last_chunk last) const noexcept override;
  result base64_to_binary(const char16_t *in, size_t n, char *out, options o,
                          last_chunk last) const noexcept override;

protected:
  ~base64() = default;
};

} // namespace kernels

#endif
