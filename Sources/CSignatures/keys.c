#include "include/CSignatures.h"

#include <limits.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <string.h>

// Without a callback libcrypto would ask for a passphrase on the terminal.
static int no_passphrase(char *buffer, int size, int for_writing, void *context) {
  (void)buffer, (void)size, (void)for_writing, (void)context;
  return -1;
}

static bool is_p256(EVP_PKEY *key) {
  char group[32] = "";
  size_t length = 0;
  return EVP_PKEY_is_a(key, "EC") &&
         EVP_PKEY_get_group_name(key, group, sizeof group, &length) == 1 &&
         (strcmp(group, "prime256v1") == 0 || strcmp(group, "P-256") == 0);
}

static bool fits(EVP_PKEY *key, sig_algorithm algorithm) {
  switch (algorithm) {
    case SIG_ES256: return is_p256(key);
    case SIG_EDDSA: return EVP_PKEY_is_a(key, "ED25519");
  }
  return false;
}

typedef EVP_PKEY *(*pem_reader)(BIO *, EVP_PKEY **, pem_password_cb *, void *);

static sig_key *parse(const char *pem, size_t length, sig_algorithm algorithm, pem_reader read) {
  if (length > INT_MAX) return NULL;
  BIO *text = BIO_new_mem_buf(pem, (int)length);
  if (text == NULL) return NULL;
  EVP_PKEY *key = read(text, NULL, no_passphrase, NULL);
  BIO_free(text);
  if (key != NULL && !fits(key, algorithm)) {
    EVP_PKEY_free(key);
    key = NULL;
  }
  ERR_clear_error();
  return key;
}

sig_key *sig_public_key(const char *pem, size_t length, sig_algorithm algorithm) {
  return parse(pem, length, algorithm, PEM_read_bio_PUBKEY);
}

sig_key *sig_private_key(const char *pem, size_t length, sig_algorithm algorithm) {
  return parse(pem, length, algorithm, PEM_read_bio_PrivateKey);
}

void sig_free(sig_key *key) { EVP_PKEY_free(key); }
