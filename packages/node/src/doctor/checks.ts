/** The order matters: later checks rely on earlier ones. */
import { beaconCheck } from './checks/beacon.ts'
import { clockCheck } from './checks/clock.ts'
import { dataDirectoryCheck, diskCheck } from './checks/data-directory.ts'
import { engineChainCheck, engineCheck, jwtCheck } from './checks/engine.ts'
import { etcdCheck } from './checks/etcd.ts'
import { executionPeersCheck } from './checks/execution-peers.ts'
import { forkTimesCheck } from './checks/fork-times.ts'
import { forksCheck } from './checks/forks.ts'
import { genesisCheck } from './checks/genesis.ts'
import { diskSizeCheck, diskSpeedCheck, memoryCheck, openFilesCheck, processorsCheck } from './checks/hardware.ts'
import { l1Check, l1GenesisCheck, l1HeadCheck, l1ReceiptsCheck } from './checks/l1.ts'
import { nodeCheck } from './checks/machine.ts'
import { networkCheck } from './checks/network.ts'
import { peersCheck } from './checks/peers.ts'
import { portsCheck } from './checks/ports.ts'
import { registryCheck } from './checks/registry.ts'
import { headsCheck, readinessCheck } from './checks/running-node.ts'
import type { DoctorCheck } from './doctor-context.ts'

export const DOCTOR_CHECKS: readonly DoctorCheck[] = [
  nodeCheck,
  processorsCheck,
  memoryCheck,
  openFilesCheck,
  networkCheck,
  genesisCheck,
  dataDirectoryCheck,
  diskCheck,
  diskSizeCheck,
  diskSpeedCheck,
  portsCheck,
  jwtCheck,
  engineCheck,
  engineChainCheck,
  l1Check,
  l1HeadCheck,
  l1ReceiptsCheck,
  l1GenesisCheck,
  beaconCheck,
  etcdCheck,
  clockCheck,
  forkTimesCheck,
  forksCheck,
  registryCheck,
  peersCheck,
  executionPeersCheck,
  headsCheck,
  readinessCheck,
]
