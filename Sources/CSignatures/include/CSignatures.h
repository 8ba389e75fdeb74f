#ifndef CSIGNATURES_H
#define CSIGNATURES_H

// Signatures of tokens, by libcrypto's EVP interface. Every function can be called from any thread;
// a key is read-only once it has been made.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A public or private key; freed with sig_free().
typedef struct evp_pkey_st sig_key;

typedef enum {
  SIG_ES256,  // ECDSA on P-256 with SHA-256 (RFC 7518, section 3.4)
  SIG_EDDSA,  // Ed25519 (RFC 8037)
} sig_algorithm;

// The length of the signatures of both algorithms.
enum { SIG_BYTES = 64 };

// Parses a PEM "PUBLIC KEY" (SubjectPublicKeyInfo). NULL if the text is none, or a key of another
// algorithm.
sig_key *sig_public_key(const char *pem, size_t length, sig_algorithm algorithm);

// Parses a PEM "PRIVATE KEY" (PKCS #8, or SEC 1 for P-256), likewise. Encrypted keys are refused.
sig_key *sig_private_key(const char *pem, size_t length, sig_algorithm algorithm);

void sig_free(sig_key *key);

// Whether the 64 bytes of `signature` (for ES256 r and s, 32 bytes each) are the key's signature of
// `data`.
bool sig_verify(sig_key *key, sig_algorithm algorithm, const uint8_t *data, size_t length,
                const uint8_t signature[SIG_BYTES]);

// Signs `data`. False if libcrypto fails.
bool sig_sign(sig_key *key, sig_algorithm algorithm, const uint8_t *data, size_t length,
              uint8_t signature[SIG_BYTES]);

// HMAC with SHA-256 (RFC 2104). False if libcrypto fails.
bool sig_hmac_sha256(const uint8_t *key, size_t key_length, const uint8_t *data, size_t length,
                     uint8_t digest[32]);

// Compares two arrays of `length` bytes; the time does not depend on their content.
bool sig_equal(const uint8_t *left, const uint8_t *right, size_t length);

#endif
