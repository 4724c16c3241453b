/** op-node as the sequencer of a machine. */
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Restartable, restartable } from './role.ts'

export interface OpNodeOptions {
  readonly binary: string
  /** Holds its peer-to-peer key, `node.key`. */
  readonly folder: string
  readonly network: string
  readonly l1Url: string
  readonly engineUrl: string
  /** Written here, because op-node and the execution client start at the same time. */
  readonly jwtFile: string
  readonly conductorUrl: string
  readonly rpcPort: number
  readonly p2pPort: number
  readonly peers: readonly string[]
  readonly signerKey: string
}

const HOST = '127.0.0.1'
/** Never called. Without one op-node resolves the names of public ones, also with discovery off. The key is secp256k1's base point. */
const BOOT_NODE =
  'enode://79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8@127.0.0.1:1'

/** `--l1.trustrpc`: anvil's transactions root covers blob sidecars, which op-node would reject. */
export async function createOpNode(options: OpNodeOptions): Promise<Restartable> {
  const { binary, folder, network, l1Url, engineUrl, jwtFile, conductorUrl, rpcPort, p2pPort, peers, signerKey } = options
  await writeFile(jwtFile, randomBytes(32).toString('hex'), { mode: 0o600 })
  // op-node refuses unknown keys.
  const { terminalTotalDifficultyPassed, ...config } = JSON.parse(await readFile(join(network, 'l1-chain.json'), 'utf8'))
  const l1Config = join(folder, 'l1.json')
  await writeFile(l1Config, JSON.stringify({ config }))
  return restartable(binary, [
    ...['--l1', l1Url, '--l1.beacon', l1Url, '--l1.beacon.ignore', '--l1.rpckind', 'standard', '--l1.trustrpc'],
    ...['--l1.http-poll-interval', '1s', '--l1.epoch-poll-interval', '4s', '--verifier.l1-confs', '0'],
    ...['--l2', engineUrl, '--l2.jwt-secret', jwtFile, '--rpc.addr', HOST, '--rpc.port', String(rpcPort), '--rpc.enable-admin'],
    ...['--rollup.config', join(network, 'rollup.json'), '--rollup.l1-chain-config', l1Config],
    ...[
      '--p2p.listen.ip',
      HOST,
      '--p2p.listen.tcp',
      String(p2pPort),
      '--p2p.no-discovery',
      '--p2p.bootnodes',
      BOOT_NODE,
      '--p2p.priv.path',
      join(folder, 'node.key'),
    ],
    ...['--p2p.peerstore.path', 'memory', '--p2p.discovery.path', 'memory', '--p2p.static', peers.join(',')],
    ...['--sequencer.enabled', '--sequencer.stopped', '--sequencer.l1-confs', '2', '--p2p.sequencer.key', signerKey.slice(2)],
    ...['--conductor.enabled', '--conductor.rpc', conductorUrl],
  ])
}
