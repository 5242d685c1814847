#include "libteam/system/filesystem.h"

#include <linux/magic.h>

namespace team {

namespace {

// Missing from linux/magic.h on Debian 12.
constexpr long kCifs = 0xFF534D42;
constexpr long kCeph = 0x00C36400;
constexpr long kLustre = 0x0BD00BD0;
constexpr long kGfs2 = 0x01161970;
constexpr long kGpfs = 0x47504653;
constexpr long kVmhgfs = 0xBACBACBC;
constexpr long kVboxsf = 0x786F4256;

}  // namespace

std::string_view network_filesystem(long type) {
  switch (type & 0xFFFFFFFF) {
    case NFS_SUPER_MAGIC: return "NFS";
    case SMB_SUPER_MAGIC:
    case SMB2_SUPER_MAGIC:
    case kCifs: return "SMB";
    case FUSE_SUPER_MAGIC: return "FUSE";
    case V9FS_MAGIC: return "9p";
    case AFS_SUPER_MAGIC:
    case AFS_FS_MAGIC: return "AFS";
    case CODA_SUPER_MAGIC: return "Coda";
    case NCP_SUPER_MAGIC: return "NCP";
    case OCFS2_SUPER_MAGIC: return "OCFS2";
    case kCeph: return "Ceph";
    case kLustre: return "Lustre";
    case kGfs2: return "GFS2";
    case kGpfs: return "GPFS";
    case kVmhgfs: return "vmhgfs";
    case kVboxsf: return "vboxsf";
    default: return {};
  }
}

}  // namespace team
