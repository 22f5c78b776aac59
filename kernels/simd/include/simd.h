/* simd: image processing on 8-bit planes.
 *
 * Planes. An image is a plane: `h` rows of `w` pixels. The first pixel of row y is at
 * `plane + y * stride`; strides count *elements* of the plane's type (bytes for uint8_t, units of
 * two bytes for int16_t and uint16_t, and so on) and are at least the row's width. What lies between the end
 * of a row and the start of the next is padding: it is never written, and nothing depends on it.
 * No byte before the first pixel or after the last pixel of the last row may be touched.
 *
 * Sizes. Every width and height is at least 1 and at most 2^24. Planes need no alignment beyond
 * their element type's. A destination never overlaps a source.
 *
 * Border. S(x, y) below is the source pixel at column min(max(x, 0), w - 1) and row
 * min(max(y, 0), h - 1): the outermost pixels are repeated without end.
 *
 * Arithmetic. Formulas are over the integers, nothing wraps or saturates; `a >> n` is the quotient
 * by 2^n rounded down, [q] is q rounded down. Results are exact: two implementations that follow
 * this page agree in every bit.
 *
 * Functions keep no state, allocate nothing, and may run in several threads at a time.
 */
#ifndef SIMD_H
#define SIMD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Resizing ------------------------------------------------------------------------------ */

/* Halves an image by the rounded mean of each 2x2 block. The destination has (w + 1) / 2 columns
 * and (h + 1) / 2 rows; the last block of an odd size is completed by the repeated border.
 *
 *   dst(x, y) = (S(2x, 2y) + S(2x+1, 2y) + S(2x, 2y+1) + S(2x+1, 2y+1) + 2) >> 2
 */
void simd_reduce2x2(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                    uint8_t *dst, size_t dst_stride);

/* Halves an image after a 3x3 binomial filter, centred on the even pixels. The destination has
 * (w + 1) / 2 columns and (h + 1) / 2 rows. With k(-1) = 1, k(0) = 2, k(1) = 1:
 *
 *   dst(x, y) = (sum over i, j in -1..1 of k(i) * k(j) * S(2x + i, 2y + j) + 8) >> 4
 */
void simd_reduce3x3(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                    uint8_t *dst, size_t dst_stride);

/* Resizes an image of w x h pixels to dst_w x dst_h by bilinear interpolation between pixel
 * centres, with positions in units of 1/128 pixel. Column x of the destination lies at
 *
 *   u = min(max([64 * (2x + 1) * w / dst_w] - 64, 0), 128 * (w - 1))
 *   x0 = u >> 7,  f = u - 128 * x0
 *
 * and row y likewise at v, y0, g from h and dst_h. There is one rounding, at the end:
 *
 *   top    = (128 - f) * S(x0, y0)     + f * S(x0 + 1, y0)
 *   bottom = (128 - f) * S(x0, y0 + 1) + f * S(x0 + 1, y0 + 1)
 *   dst(x, y) = ((128 - g) * top + g * bottom + 8192) >> 14
 */
void simd_resize_bilinear(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                          uint8_t *dst, size_t dst_stride, size_t dst_w, size_t dst_h);

/* ---- Blur: source and destination have the same size ---------------------------------------- */

/* Mean of the 3x3 square, rounded to nearest (there are no ties):
 *
 *   dst(x, y) = [(sum over i, j in -1..1 of S(x + i, y + j) + 4) / 9]
 */
void simd_mean3x3(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                  uint8_t *dst, size_t dst_stride);

/* Binomial approximation of a Gaussian. With k(-1) = 1, k(0) = 2, k(1) = 1:
 *
 *   dst(x, y) = (sum over i, j in -1..1 of k(i) * k(j) * S(x + i, y + j) + 8) >> 4
 */
void simd_gaussian3x3(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                      uint8_t *dst, size_t dst_stride);

/* Median of the 3x3 square: the fifth smallest of the nine S(x + i, y + j), i, j in -1..1. */
void simd_median3x3(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                    uint8_t *dst, size_t dst_stride);

/* Median of the 3x3 rhomb: the third smallest of the five pixels S(x, y), S(x - 1, y),
 * S(x + 1, y), S(x, y - 1), S(x, y + 1). */
void simd_median_rhomb3x3(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                          uint8_t *dst, size_t dst_stride);

/* ---- Edges: source and destination have the same size ---------------------------------------- */

/* Sobel's horizontal gradient. With k(-1) = 1, k(0) = 2, k(1) = 1:
 *
 *   dx(x, y) = sum over j in -1..1 of k(j) * (S(x + 1, y + j) - S(x - 1, y + j))
 */
void simd_sobel_dx(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                   int16_t *dst, size_t dst_stride);

/* Sobel's vertical gradient. With k(-1) = 1, k(0) = 2, k(1) = 1:
 *
 *   dy(x, y) = sum over i in -1..1 of k(i) * (S(x + i, y + 1) - S(x + i, y - 1))
 */
void simd_sobel_dy(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                   int16_t *dst, size_t dst_stride);

/* dst(x, y) = |dx(x, y)|, dx as in simd_sobel_dx. */
void simd_sobel_dx_abs(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                       uint16_t *dst, size_t dst_stride);

/* dst(x, y) = |dy(x, y)|, dy as in simd_sobel_dy. */
void simd_sobel_dy_abs(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                       uint16_t *dst, size_t dst_stride);

/* Sum of |dx(x, y)| over all pixels, dx as in simd_sobel_dx. */
uint64_t simd_sobel_dx_abs_sum(const uint8_t *src, size_t src_stride, size_t w, size_t h);

/* Sum of |dy(x, y)| over all pixels, dy as in simd_sobel_dy. */
uint64_t simd_sobel_dy_abs_sum(const uint8_t *src, size_t src_stride, size_t w, size_t h);

/* Laplace operator over all eight neighbours:
 *
 *   dst(x, y) = 9 * S(x, y) - sum over i, j in -1..1 of S(x + i, y + j)
 */
void simd_laplace(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                  int16_t *dst, size_t dst_stride);

/* ---- HOG: histograms of oriented gradients ---------------------------------------------------- */

/* Direction and magnitude of the gradient of each pixel; all three planes are w x h.
 *
 *   dx = S(x + 1, y) - S(x - 1, y),  dy = S(x, y + 1) - S(x, y - 1)
 *
 * The direction is one of nine, 20 degrees apart, a gradient and its opposite having the same: the
 * least i in 0..8 for which |C[i] * dx + D[i] * dy| is largest, with
 *
 *   C = { 64, 60, 49, 32, 11, -11, -32, -49, -60 }
 *   D = {  0, 22, 41, 55, 63,  63,  55,  41,  22 }
 *
 * The magnitude is the largest integer m with m * m <= dx * dx + dy * dy.
 */
void simd_hog_directions(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                         uint8_t *direction, size_t direction_stride,
                         uint16_t *magnitude, size_t magnitude_stride);

/* Histograms of directions over cells of 8x8 pixels. There are (w + 7) / 8 columns of cells and
 * (h + 7) / 8 rows; cells at the right and lower edge have fewer pixels if w or h is no multiple of
 * 8. Row y of the destination holds the histograms of that row of cells one after the other, nine
 * entries each:
 *
 *   dst(9 * x + i, y) = sum of the magnitudes of the pixels of cell (x, y) whose direction is i
 *
 * directions and magnitudes as in simd_hog_directions. (An entry is at most 64 * 360.)
 */
void simd_hog_histograms(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                         uint16_t *dst, size_t dst_stride);

/* Normalizes the histograms of cells, as simd_hog_histograms lays them out, over blocks of 2x2
 * cells that overlap: there are cells_w - 1 columns of blocks and cells_h - 1 rows, and cells_w and
 * cells_h are at least 2. Entries may have any value. A block has 36 values v: those of the cell
 * (x, y), then of (x + 1, y), (x, y + 1) and (x + 1, y + 1). With n the largest integer for which
 * n * n <= sum of v * v over the block, each becomes a feature, clipped at about a fifth of the
 * norm:
 *
 *   dst(36 * x + k, y) = min([256 * v(k) / (n + 1)], 51)
 */
void simd_hog_features(const uint16_t *src, size_t src_stride, size_t cells_w, size_t cells_h,
                       uint8_t *dst, size_t dst_stride);

/* Scores of a linear classifier at every position of a window over features, as
 * simd_hog_features lays them out: blocks_w x blocks_h blocks of 36 features, each at most 51. The
 * window has window_w x window_h blocks, from 1x1 to 64x64 and no more than there are of either.
 * `weights` holds its rows without padding. The destination has blocks_w - window_w + 1 columns and
 * blocks_h - window_h + 1 rows:
 *
 *   dst(x, y) = sum over i in 0..36 * window_w - 1 and j in 0..window_h - 1 of
 *               weights[36 * window_w * j + i] * src(36 * x + i, y + j)
 */
void simd_hog_scores(const uint8_t *src, size_t src_stride, size_t blocks_w, size_t blocks_h,
                     const int8_t *weights, size_t window_w, size_t window_h,
                     int32_t *dst, size_t dst_stride);

/* ---- Statistics ------------------------------------------------------------------------------ */

/* The least and the largest pixel, and the sum of all. */
void simd_min_max_sum(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                      uint8_t *min, uint8_t *max, uint64_t *sum);

/* The sum of each row; `sums` has h entries. */
void simd_row_sums(const uint8_t *src, size_t src_stride, size_t w, size_t h, uint32_t *sums);

/* The sum of each column; `sums` has w entries. */
void simd_column_sums(const uint8_t *src, size_t src_stride, size_t w, size_t h, uint32_t *sums);

/* Area and moments of the pixels that equal `index`. With all sums over the (x, y) for which
 * S(x, y) = index, the six entries of `moments` are, in this order, the sums of
 *
 *   1, x, y, x * x, x * y, y * y
 *
 * Here w and h are at most 2^16.
 */
void simd_moments(const uint8_t *src, size_t src_stride, size_t w, size_t h, uint8_t index,
                  uint64_t *moments);

/* Sum of a * b over the pixels of two planes of w x h. */
uint64_t simd_correlation_sum(const uint8_t *a, size_t a_stride,
                              const uint8_t *b, size_t b_stride, size_t w, size_t h);

/* Sum of (a - b) * (a - b) over the pixels of two planes of w x h. */
uint64_t simd_squared_difference_sum(const uint8_t *a, size_t a_stride,
                                     const uint8_t *b, size_t b_stride, size_t w, size_t h);

/* How many pixels have each value; `histogram` has 256 entries. Here w * h is less than 2^32. */
void simd_histogram(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                    uint32_t *histogram);

/* dst(x, y) = table[S(x, y)], as histograms are equalized; `table` has 256 entries. Source and
 * destination have the same size. */
void simd_look_up(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                  const uint8_t *table, uint8_t *dst, size_t dst_stride);

/* ---- Background and motion: all planes have the same size ----------------------------------- */

/* The background of a scene is a range [lo, hi] for each pixel. Below, LO, HI and so on stand for
 * the values at (x, y) before the call, S for S(x, y). A range may be empty (LO > HI). */

/* Widens ranges by at most one: LO - 1 is written to lo where S < LO, HI + 1 to hi where S > HI; all
 * other values stay. */
void simd_background_grow_slow(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                               uint8_t *lo, size_t lo_stride, uint8_t *hi, size_t hi_stride);

/* Widens ranges as far as needed: lo becomes min(LO, S), hi becomes max(HI, S). */
void simd_background_grow_fast(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                               uint8_t *lo, size_t lo_stride, uint8_t *hi, size_t hi_stride);

/* Counts how often pixels were out of range: lo_count becomes min(LO_COUNT + 1, 255) where S < LO,
 * hi_count becomes min(HI_COUNT + 1, 255) where S > HI; all other values stay. */
void simd_background_count(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                           const uint8_t *lo, size_t lo_stride,
                           const uint8_t *hi, size_t hi_stride,
                           uint8_t *lo_count, size_t lo_count_stride,
                           uint8_t *hi_count, size_t hi_count_stride);

/* Adjusts ranges to how often pixels were out of them, and clears the counts (both become 0).
 *
 *   lo becomes max(LO - 1, 0)   where LO_COUNT > threshold
 *              min(LO + 1, 255) where LO_COUNT < threshold
 *   hi becomes min(HI + 1, 255) where HI_COUNT > threshold
 *              max(HI - 1, 0)   where HI_COUNT < threshold
 *
 * and both stay where the count equals the threshold.
 */
void simd_background_adjust(uint8_t *lo_count, size_t lo_count_stride,
                            uint8_t *hi_count, size_t hi_count_stride,
                            size_t w, size_t h, uint8_t threshold,
                            uint8_t *lo, size_t lo_stride, uint8_t *hi, size_t hi_stride);

/* Shifts ranges to where the pixels are.
 *
 *   d = max(S - HI, 0) - max(LO - S, 0)
 *   lo becomes min(max(LO + d, 0), 255), hi becomes min(max(HI + d, 0), 255)
 */
void simd_background_shift(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                           uint8_t *lo, size_t lo_stride, uint8_t *hi, size_t hi_stride);

/* Adds how far pixels are out of range, squared and times a factor, to a plane of differences.
 *
 *   e = max(S - HI, LO - S, 0)
 *   difference becomes min(DIFFERENCE + (factor * e * e >> 16), 65535)
 */
void simd_add_feature_difference(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                                 const uint8_t *lo, size_t lo_stride,
                                 const uint8_t *hi, size_t hi_stride, uint16_t factor,
                                 uint16_t *difference, size_t difference_stride);

/* Sum of |a - b| over the pixels of two planes. */
uint64_t simd_abs_difference_sum(const uint8_t *a, size_t a_stride,
                                 const uint8_t *b, size_t b_stride, size_t w, size_t h);

/* Sums of absolute differences against the nine nearest shifts of a plane. With the border of b
 * repeated, B(x, y) being for b what S(x, y) is for a source, and `sums` of nine entries:
 *
 *   sums[3 * (j + 1) + (i + 1)] = sum over x, y of |a(x, y) - B(x + i, y + j)|, i, j in -1..1
 */
void simd_abs_difference_sums3x3(const uint8_t *a, size_t a_stride,
                                 const uint8_t *b, size_t b_stride, size_t w, size_t h,
                                 uint64_t *sums);

/* ---- Pixel formats --------------------------------------------------------------------------- */

/* An image in BGR has three bytes a pixel, blue, green, red; its rows have 3 * w bytes. BGRA has a
 * fourth, alpha; its rows have 4 * w bytes. B, G and R below are the bytes of the pixel at (x, y). */

/* dst(x, y) = (1868 * B + 9617 * G + 4899 * R + 8192) >> 14 */
void simd_bgr_to_gray(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                      uint8_t *dst, size_t dst_stride);

/* B, G and R of the destination are S(x, y). */
void simd_gray_to_bgr(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                      uint8_t *dst, size_t dst_stride);

/* Copies B, G and R, and sets the fourth byte to `alpha`. */
void simd_bgr_to_bgra(const uint8_t *src, size_t src_stride, size_t w, size_t h, uint8_t alpha,
                      uint8_t *dst, size_t dst_stride);

/* Writes B, G and R to a plane each, of w x h pixels. */
void simd_deinterleave_bgr(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                           uint8_t *b, size_t b_stride, uint8_t *g, size_t g_stride,
                           uint8_t *r, size_t r_stride);

/* Makes an image in BGR of three planes of w x h pixels. */
void simd_interleave_bgr(const uint8_t *b, size_t b_stride, const uint8_t *g, size_t g_stride,
                         const uint8_t *r, size_t r_stride, size_t w, size_t h,
                         uint8_t *dst, size_t dst_stride);

/* From BGR to luma and chroma in the limited range of BT.601. Luma has a plane of w x h:
 *
 *   y = 16 + ((66 * R + 129 * G + 25 * B + 128) >> 8)
 *
 * Chroma has two planes of (w + 1) / 2 columns and (h + 1) / 2 rows, a pixel for each block of 2x2.
 * B, G and R are there (a + b + c + d + 2) >> 2 over the four pixels; the last block of an odd size
 * is completed by the repeated border, whole pixels being repeated.
 *
 *   u = 128 + ((112 * B - 74 * G - 38 * R + 128) >> 8)
 *   v = 128 + ((112 * R - 94 * G - 18 * B + 128) >> 8)
 */
void simd_bgr_to_yuv420p(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                         uint8_t *y, size_t y_stride, uint8_t *u, size_t u_stride,
                         uint8_t *v, size_t v_stride);

/* The other way, from planes of those sizes. With Y = y(x, y) - 16, and U = u(x >> 1, y >> 1) - 128
 * and V = v(x >> 1, y >> 1) - 128 of the block that the pixel is in:
 *
 *   B = min(max((298 * Y + 516 * U + 128) >> 8, 0), 255)
 *   G = min(max((298 * Y - 100 * U - 208 * V + 128) >> 8, 0), 255)
 *   R = min(max((298 * Y + 409 * V + 128) >> 8, 0), 255)
 *
 * Any byte may stand in any plane.
 */
void simd_yuv420p_to_bgr(const uint8_t *y, size_t y_stride, const uint8_t *u, size_t u_stride,
                         const uint8_t *v, size_t v_stride, size_t w, size_t h,
                         uint8_t *dst, size_t dst_stride);

/* ---- Integral images ------------------------------------------------------------------------- */

/* Sums over all rectangles that begin at the first pixel. The destination has w + 1 columns and
 * h + 1 rows, the first of either being 0; w * h is at most 2^24:
 *
 *   sum(x, y) = sum of S(i, j) over 0 <= i < x and 0 <= j < y
 */
void simd_integral(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                   uint32_t *sum, size_t sum_stride);

/* The same together with squares(x, y) = sum of S(i, j) * S(i, j) over those i and j, in a plane of
 * that size. */
void simd_integral_squares(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                           uint32_t *sum, size_t sum_stride,
                           uint64_t *squares, size_t squares_stride);

/* ---- Segmentation: masks hold the index of a segment for each pixel -------------------------- */

/* Pixels that equal `old_index` become `new_index`. */
void simd_segmentation_change_index(uint8_t *mask, size_t mask_stride, size_t w, size_t h,
                                    uint8_t old_index, uint8_t new_index);

/* A pixel whose four neighbours M(x - 1, y), M(x + 1, y), M(x, y - 1) and M(x, y + 1) all equal
 * `index` becomes `index`, M(x, y) being for the mask what S(x, y) is for a source. (So pixels at
 * the border stay; and of two neighbours at most one changes, hence the order does not matter.) */
void simd_segmentation_fill_holes(uint8_t *mask, size_t mask_stride, size_t w, size_t h,
                                  uint8_t index);

/* Carries a segment from a mask of half the size to one of w x h pixels. The parent has (w + 1) / 2
 * columns and (h + 1) / 2 rows. Near a pixel (x, y) of the child are four of the parent, of which
 * those outside of it are taken from its repeated border: with X = x >> 1 and X' = X - 1 where x is
 * even, X + 1 where it is odd, and Y and Y' likewise, they are at (X, Y), (X', Y), (X, Y') and
 * (X', Y'). The child's pixel
 *
 *   stays            if it is at least `invalid`; otherwise it
 *   becomes `index`  if all four are `index`
 *   becomes `empty`  if none of them is
 *   becomes `index`  if some are and difference(x, y) > threshold, else `empty`
 */
void simd_segmentation_propagate2x2(const uint8_t *parent, size_t parent_stride,
                                    const uint8_t *difference, size_t difference_stride,
                                    uint8_t *child, size_t child_stride, size_t w, size_t h,
                                    uint8_t index, uint8_t invalid, uint8_t empty,
                                    uint8_t threshold);

/* ---- Alpha blending -------------------------------------------------------------------------- */

/* Lays a plane over another. With A the byte of `alpha` and D that of dst before the call:
 *
 *   dst(x, y) becomes [(A * S(x, y) + (255 - A) * D + 127) / 255]
 */
void simd_alpha_blending(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                         const uint8_t *alpha, size_t alpha_stride,
                         uint8_t *dst, size_t dst_stride);

/* BGRA to BGRA of the same size: with A the fourth byte, B, G and R become [(A * c + 127) / 255],
 * each for c, and A stays. */
void simd_alpha_premultiply(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                            uint8_t *dst, size_t dst_stride);

/* The other way: with A the fourth byte, B, G and R become min([(255 * c + [A / 2]) / A], 255),
 * each for c, or 0 where A is 0; A stays. Bytes may be larger than their alpha. */
void simd_alpha_unpremultiply(const uint8_t *src, size_t src_stride, size_t w, size_t h,
                              uint8_t *dst, size_t dst_stride);

#ifdef __cplusplus
}
#endif

#endif
