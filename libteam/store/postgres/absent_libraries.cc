// Stands in for the parts of Kerberos and LDAP that libpq calls: Debian has no static libraries of them. Each call
// fails, so libpq goes on without these services: it cannot authenticate by Kerberos nor look up addresses by LDAP.
//
// A program that is linked with the shared libpq has the real ones and does not use this file.

namespace {
constexpr unsigned kGssFailure = 13u << 16;
}

extern "C" {

const void* GSS_C_NT_HOSTBASED_SERVICE = nullptr;

unsigned gss_acquire_cred() { return kGssFailure; }
unsigned gss_delete_sec_context() { return kGssFailure; }
unsigned gss_display_status() { return kGssFailure; }
unsigned gss_import_name() { return kGssFailure; }
unsigned gss_init_sec_context() { return kGssFailure; }
unsigned gss_release_buffer() { return kGssFailure; }
unsigned gss_release_cred() { return kGssFailure; }
unsigned gss_release_name() { return kGssFailure; }
unsigned gss_unwrap() { return kGssFailure; }
unsigned gss_wrap() { return kGssFailure; }
unsigned gss_wrap_size_limit() { return kGssFailure; }

void* ldap_init() { return nullptr; }
const char* ldap_err2string() { return "not supported"; }
int ldap_count_entries() { return 0; }
void* ldap_first_entry() { return nullptr; }
void* ldap_get_values_len() { return nullptr; }
int ldap_msgfree() { return 0; }
int ldap_result() { return -1; }
int ldap_search_st() { return -1; }
int ldap_set_option() { return -1; }
int ldap_simple_bind() { return -1; }
int ldap_unbind() { return 0; }
void ldap_value_free_len() {}

}  // extern "C"
