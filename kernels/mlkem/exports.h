/* The contract's functions over what all parameter sets share. Part of level512.c's compilation
 * unit, because some of upstream's functions are static. */
#define MK_POLY(p, i) ((mlk_poly *)(p) + (i))
#define MK_CONST_POLY(p, i) ((const mlk_poly *)(p) + (i))

uint32_t mk_rej_uniform(int16_t *r, uint32_t target, uint32_t offset, const uint8_t *buf,
                        uint32_t buflen)
{
    return mlk_rej_uniform(r, target, offset, buf, buflen);
}

void mk_sample_ntt_x4(int16_t *r, const uint8_t *seeds)
{
    MLK_ALIGN uint8_t aligned[4][MLK_ALIGN_UP(MLKEM_SYMBYTES + 2)];

    for (int i = 0; i < 4; i++)
        memcpy(aligned[i], seeds + (MLKEM_SYMBYTES + 2) * i, MLKEM_SYMBYTES + 2);
    mlk_poly_rej_uniform_x4(MK_POLY(r, 0), MK_POLY(r, 1), MK_POLY(r, 2), MK_POLY(r, 3), aligned);
}

#define MK_IN_PLACE(name, upstream)              \
    void name(int16_t *r, size_t count)          \
    {                                            \
        for (size_t i = 0; i < count; i++)       \
            upstream(MK_POLY(r, i));             \
    }

MK_IN_PLACE(mk_ntt, mlk_poly_ntt)
MK_IN_PLACE(mk_invntt_tomont, mlk_poly_invntt_tomont)
MK_IN_PLACE(mk_reduce, mlk_poly_reduce)
MK_IN_PLACE(mk_tomont, mlk_poly_tomont)

void mk_mulcache_compute(int16_t *x, const int16_t *a, size_t count)
{
    for (size_t i = 0; i < count; i++)
        mlk_poly_mulcache_compute((mlk_poly_mulcache *)x + i, MK_CONST_POLY(a, i));
}

#define MK_TO_BYTES(name, upstream, size)                   \
    void name(uint8_t *r, const int16_t *a, size_t count)   \
    {                                                       \
        for (size_t i = 0; i < count; i++)                  \
            upstream(r + (size) * i, MK_CONST_POLY(a, i));  \
    }
#define MK_FROM_BYTES(name, upstream, size)                 \
    void name(int16_t *r, const uint8_t *a, size_t count)   \
    {                                                       \
        for (size_t i = 0; i < count; i++)                  \
            upstream(MK_POLY(r, i), a + (size) * i);        \
    }

MK_TO_BYTES(mk_tobytes, mlk_poly_tobytes, MLKEM_POLYBYTES)
MK_FROM_BYTES(mk_frombytes, mlk_poly_frombytes, MLKEM_POLYBYTES)
MK_TO_BYTES(mk_compress_d4, mlk_poly_compress_d4, MLKEM_POLYCOMPRESSEDBYTES_D4)
MK_TO_BYTES(mk_compress_d5, mlk_poly_compress_d5, MLKEM_POLYCOMPRESSEDBYTES_D5)
MK_TO_BYTES(mk_compress_d10, mlk_poly_compress_d10, MLKEM_POLYCOMPRESSEDBYTES_D10)
MK_TO_BYTES(mk_compress_d11, mlk_poly_compress_d11, MLKEM_POLYCOMPRESSEDBYTES_D11)
MK_FROM_BYTES(mk_decompress_d4, mlk_poly_decompress_d4, MLKEM_POLYCOMPRESSEDBYTES_D4)
MK_FROM_BYTES(mk_decompress_d5, mlk_poly_decompress_d5, MLKEM_POLYCOMPRESSEDBYTES_D5)
MK_FROM_BYTES(mk_decompress_d10, mlk_poly_decompress_d10, MLKEM_POLYCOMPRESSEDBYTES_D10)
MK_FROM_BYTES(mk_decompress_d11, mlk_poly_decompress_d11, MLKEM_POLYCOMPRESSEDBYTES_D11)

/* The whole operations of the other two parameter sets. */
int mlkem768_keypair_derand(uint8_t *pk, uint8_t *sk, const uint8_t *coins);
int mlkem768_enc_derand(uint8_t *ct, uint8_t *ss, const uint8_t *pk, const uint8_t *coins);
int mlkem768_dec(uint8_t *ss, const uint8_t *ct, const uint8_t *sk);
int mlkem1024_keypair_derand(uint8_t *pk, uint8_t *sk, const uint8_t *coins);
int mlkem1024_enc_derand(uint8_t *ct, uint8_t *ss, const uint8_t *pk, const uint8_t *coins);
int mlkem1024_dec(uint8_t *ss, const uint8_t *ct, const uint8_t *sk);

int32_t mk_keygen(uint8_t *pk, uint8_t *sk, const uint8_t *seed, uint32_t k)
{
    return k == 2   ? mlkem512_keypair_derand(pk, sk, seed)
           : k == 3 ? mlkem768_keypair_derand(pk, sk, seed)
                    : mlkem1024_keypair_derand(pk, sk, seed);
}

int32_t mk_encaps(uint8_t *ct, uint8_t *ss, const uint8_t *pk, const uint8_t *seed, uint32_t k)
{
    return k == 2   ? mlkem512_enc_derand(ct, ss, pk, seed)
           : k == 3 ? mlkem768_enc_derand(ct, ss, pk, seed)
                    : mlkem1024_enc_derand(ct, ss, pk, seed);
}

int32_t mk_decaps(uint8_t *ss, const uint8_t *ct, const uint8_t *sk, uint32_t k)
{
    return k == 2   ? mlkem512_dec(ss, ct, sk)
           : k == 3 ? mlkem768_dec(ss, ct, sk)
                    : mlkem1024_dec(ss, ct, sk);
}

void mk_flip(uint8_t *bytes, uint32_t bit)
{
    bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
}
