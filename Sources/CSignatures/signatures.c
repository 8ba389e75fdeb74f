#include "include/CSignatures.h"

#include <limits.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

enum { HALF = SIG_BYTES / 2 };

// libcrypto's ECDSA takes and gives r and s in DER, tokens have them side by side.

// The length of the DER; 0 on failure. The caller frees `der` with OPENSSL_free().
static size_t der_of(const uint8_t signature[SIG_BYTES], uint8_t **der) {
  *der = NULL;
  ECDSA_SIG *pair = ECDSA_SIG_new();
  BIGNUM *r = BN_bin2bn(signature, HALF, NULL), *s = BN_bin2bn(signature + HALF, HALF, NULL);
  if (pair == NULL || r == NULL || s == NULL || ECDSA_SIG_set0(pair, r, s) != 1) {
    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(pair);
    return 0;
  }
  int length = i2d_ECDSA_SIG(pair, der);
  ECDSA_SIG_free(pair);
  return length > 0 ? (size_t)length : 0;
}

static bool pair_of(const uint8_t *der, size_t length, uint8_t signature[SIG_BYTES]) {
  ECDSA_SIG *pair = d2i_ECDSA_SIG(NULL, &der, (long)length);
  bool is_whole = pair != NULL &&
                  BN_bn2binpad(ECDSA_SIG_get0_r(pair), signature, HALF) == HALF &&
                  BN_bn2binpad(ECDSA_SIG_get0_s(pair), signature + HALF, HALF) == HALF;
  ECDSA_SIG_free(pair);
  return is_whole;
}

static const EVP_MD *digest_of(sig_algorithm algorithm) {
  return algorithm == SIG_ES256 ? EVP_sha256() : NULL;
}

static bool verify(sig_key *key, const EVP_MD *digest, const uint8_t *data, size_t length,
                   const uint8_t *signature, size_t signature_length) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  bool is_valid =
      context != NULL && EVP_DigestVerifyInit(context, NULL, digest, NULL, key) == 1 &&
      EVP_DigestVerify(context, signature, signature_length, data, length) == 1;
  EVP_MD_CTX_free(context);
  ERR_clear_error();
  return is_valid;
}

bool sig_verify(sig_key *key, sig_algorithm algorithm, const uint8_t *data, size_t length,
                const uint8_t signature[SIG_BYTES]) {
  if (algorithm == SIG_EDDSA) return verify(key, NULL, data, length, signature, SIG_BYTES);
  uint8_t *der;
  size_t der_length = der_of(signature, &der);
  bool is_valid =
      der_length > 0 && verify(key, digest_of(algorithm), data, length, der, der_length);
  OPENSSL_free(der);
  return is_valid;
}

bool sig_sign(sig_key *key, sig_algorithm algorithm, const uint8_t *data, size_t length,
              uint8_t signature[SIG_BYTES]) {
  uint8_t made[128];  // DER of two 256-bit numbers: at most 72 bytes
  size_t made_length = algorithm == SIG_EDDSA ? SIG_BYTES : sizeof made;
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  bool is_signed =
      context != NULL &&
      EVP_DigestSignInit(context, NULL, digest_of(algorithm), NULL, key) == 1 &&
      EVP_DigestSign(context, algorithm == SIG_EDDSA ? signature : made, &made_length, data,
                     length) == 1;
  EVP_MD_CTX_free(context);
  ERR_clear_error();
  if (!is_signed || algorithm == SIG_EDDSA) return is_signed;
  return pair_of(made, made_length, signature);
}

bool sig_hmac_sha256(const uint8_t *key, size_t key_length, const uint8_t *data, size_t length,
                     uint8_t digest[32]) {
  unsigned int digest_length = 32;
  return key_length <= INT_MAX &&
         HMAC(EVP_sha256(), key, (int)key_length, data, length, digest, &digest_length) != NULL;
}

bool sig_equal(const uint8_t *left, const uint8_t *right, size_t length) {
  return CRYPTO_memcmp(left, right, length) == 0;
}
