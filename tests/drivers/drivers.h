// The drivers, each with the versions that it chooses first and those that it falls back on.
#pragma once

#include <vector>

#include "tests/drivers/driver.h"

namespace longshore::test {

std::vector<Driver> azuredisk();
std::vector<Driver> azurefile();
std::vector<Driver> aws_ebs();
std::vector<Driver> csi_smb();
std::vector<Driver> gcp_pd();
std::vector<Driver> vsphere();

}  // namespace longshore::test
