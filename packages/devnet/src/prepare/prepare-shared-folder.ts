import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { EvmEngine } from '@keelson/evm'
import { hexToBytes } from '@keelson/primitives'
import { DEV_SEQUENCER_NODE_KEY } from '../genesis/devnet/dev-accounts.ts'
import { devnetPorts } from '../ports/ports.ts'
import type { DevnetPaths } from '../roles/devnet-paths.ts'
import { DEVNET_SERVICES } from '../roles/devnet-services.ts'
import { readAccountsFile } from './accounts-file.ts'
import { type DevnetFile, describeDevnet, writeDevnetFile } from './devnet-file.ts'
import type { KeyFormats } from './key-formats.ts'
import { makeSecrets } from './make-secrets.ts'
import { type NetworkChoice, prepareNetwork } from './prepare-network.ts'
import { withServiceHosts } from './service-hosts.ts'
import { makeTradingWallet } from './trading-wallet.ts'

/** Keeps existing files, so that restarted containers continue the chain. Throws the errors of prepareNetwork. */
export async function prepareSharedFolder(
  paths: DevnetPaths,
  choice: NetworkChoice,
  nowMs: number,
  engine: () => EvmEngine,
  formats: KeyFormats,
): Promise<DevnetFile> {
  const { parameters, addresses } = await prepareNetwork(paths.network, choice, nowMs, engine)
  await makeSecrets(paths, formats)
  await writeNodeKey(join(paths.sequencer, 'consensus', 'node.key'), formats)
  await makeTradingWallet(paths.platform, Number(parameters.l2ChainId), formats)
  const ports = devnetPorts(0)
  const local = describeDevnet({
    clockOffsetMs: 0,
    sequencerPeerId: await formats.peerIdOfNodeKey(hexToBytes(DEV_SEQUENCER_NODE_KEY)),
    host: '127.0.0.1',
    ports,
    services: DEVNET_SERVICES,
    folder: paths.folder,
    l1ChainId: Number(parameters.l1ChainId),
    l2ChainId: Number(parameters.l2ChainId),
    accounts: readAccountsFile(paths.network).accounts,
    contracts: { ...addresses },
  })
  const facts = withServiceHosts(local, ports)
  writeDevnetFile(paths.folder, facts)
  return facts
}

/** The key is public, so that compose.yaml can contain the multiaddress. */
async function writeNodeKey(path: string, { writeSecretFile }: Pick<KeyFormats, 'writeSecretFile'>): Promise<void> {
  if (existsSync(path)) return
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeSecretFile(path, `${DEV_SEQUENCER_NODE_KEY.slice(2)}\n`)
}
