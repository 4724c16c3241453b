import { join } from 'node:path'
import { DEV_ROLES } from '../../packages/devnet/src/genesis/devnet/dev-accounts.ts'
import type { ChainView } from './same-chain.ts'
import type { World } from './world.ts'

export const KEELSON = join(import.meta.dirname, '..', '..', 'dist', 'keelson.js')
const HOST = '127.0.0.1'

export interface Mode {
  readonly peers: readonly string[] | null
  readonly sequencer: boolean
}

export interface ExecutionAt {
  readonly folder: string
  readonly jwt: string
  readonly http: number
  readonly engine: number
}

export interface ConsensusAt {
  readonly folder: string
  readonly jwt: string
  readonly engineUrl: string
  readonly rpc: number
  readonly p2p: number
  readonly metrics: number
}

export function ourExecution(world: World, at: ExecutionAt, rollupPort: number): readonly string[] {
  return [
    ...['execution', '--data-dir', at.folder, '--network', world.network, '--jwt-secret', at.jwt],
    ...['--http.port', String(at.http), '--ws.port', String(world.nextPort()), '--engine.port', String(at.engine)],
    ...['--metrics.port', String(world.nextPort()), '--rollup.rpc', `http://${HOST}:${rollupPort}`],
    ...['--rpc.trusted', HOST, '--http.api', 'eth,net,web3,debug,txpool,rollup,optimism'],
  ]
}

export function ourConsensus(world: World, at: ConsensusAt, { peers, sequencer }: Mode): readonly string[] {
  const { l1 } = world.devnet.facts
  return [
    ...['consensus', '--data-dir', at.folder, '--network', world.network, '--jwt-secret', at.jwt, '--engine.url', at.engineUrl],
    ...['--l1.rpc', l1.rpcUrl, '--l1.beacon', l1.beaconUrl, '--rpc.port', String(at.rpc), '--metrics.port', String(at.metrics)],
    ...[`--p2p.enabled=${peers !== null}`, '--p2p.port', String(at.p2p), '--allow-finalized-reorg', '--rpc.admin'],
    ...(peers === null || peers.length === 0 ? [] : ['--p2p.peers', peers.join(',')]),
    ...(sequencer ? ['--role', 'sequencer', '--sequencer.stopped', '--sequencer.l1-confirmations', '2'] : []),
  ]
}

export const ourSignerKey = (mode: Mode): Readonly<Record<string, string>> =>
  mode.sequencer ? { KEELSON_P2P_SIGNER_KEY: DEV_ROLES.sequencer.privateKey } : {}

export function opGeth(at: ExecutionAt): readonly string[] {
  return [
    ...['--datadir', at.folder, '--state.scheme=hash', '--gcmode', 'archive', '--syncmode', 'full', '--nodiscover', '--maxpeers', '0'],
    ...['--http', '--http.addr', HOST, '--http.port', String(at.http), '--http.api', 'eth,debug,net,txpool', '--port', '0'],
    ...['--authrpc.addr', HOST, '--authrpc.port', String(at.engine), '--authrpc.jwtsecret', at.jwt, '--ipcdisable'],
    ...['--rollup.disabletxpoolgossip', '--rollup.superchain-upgrades=false'],
  ]
}

/** `--l1.trustrpc`: anvil's transactions root covers blob sidecars, which op-node would reject. */
export function opNode(world: World, at: ConsensusAt, config: string, { peers, sequencer }: Mode): readonly string[] {
  const { l1 } = world.devnet.facts
  return [
    ...['--l1', l1.rpcUrl, '--l1.beacon', l1.beaconUrl, '--l1.rpckind', 'standard', '--l1.trustrpc', '--l1.http-poll-interval', '1s'],
    ...['--l1.epoch-poll-interval', '4s', '--verifier.l1-confs', '0', '--l2', at.engineUrl, '--l2.jwt-secret', at.jwt],
    ...['--rollup.config', join(config, 'rollup.json'), '--rpc.addr', HOST, '--rpc.port', String(at.rpc), '--rpc.enable-admin'],
    ...['--safedb.path', join(at.folder, 'safe-heads')],
    ...(peers === null
      ? ['--p2p.disable']
      : [
          ...['--p2p.listen.ip', HOST, '--p2p.listen.tcp', String(at.p2p), '--p2p.no-discovery'],
          ...['--p2p.priv.path', join(at.folder, 'p2p.key'), '--p2p.peerstore.path', 'memory', '--p2p.discovery.path', 'memory'],
          ...(peers.length === 0 ? [] : ['--p2p.static', peers.join(',')]),
        ]),
    ...(sequencer
      ? [
          ...['--sequencer.enabled', '--sequencer.stopped', '--sequencer.l1-confs', '2'],
          ...['--p2p.sequencer.key', DEV_ROLES.sequencer.privateKey.slice(2)],
        ]
      : []),
  ]
}

export function konaNode(world: World, at: ConsensusAt, config: string, { sequencer }: Mode): readonly string[] {
  const { l1, l2 } = world.devnet.facts
  return [
    ...['--chain', String(l2.chainId), 'node', '--mode', sequencer ? 'Sequencer' : 'Validator'],
    ...['--l1-eth-rpc', l1.rpcUrl, '--l1-beacon', l1.beaconUrl, '--l2-engine-rpc', at.engineUrl, '--l2-engine-jwt-secret', at.jwt],
    ...['--l2-config-file', join(config, 'rollup.json'), '--l1-config-file', join(config, 'l1-chain.json')],
    ...['--rpc.addr', HOST, '--port', String(at.rpc), '--rpc.enable-admin', '--p2p.no-discovery', '--p2p.listen.ip', HOST],
    ...['--p2p.listen.tcp', String(at.p2p), '--p2p.listen.udp', String(at.metrics), '--p2p.bootstore', at.folder],
    ...(sequencer ? ['--sequencer.stopped', ...['--sequencer.l1-confs', '2', '--p2p.sequencer.key', DEV_ROLES.sequencer.privateKey]] : []),
  ]
}

export interface BatchForm {
  readonly batchType: 'singular' | 'span'
  readonly compression: 'zlib' | 'brotli'
  readonly dataAvailability: 'calldata' | 'blobs'
}

export function ourBatcher(world: World, folder: string, form: BatchForm, source: ChainView): readonly string[] {
  const { l1 } = world.devnet.facts
  return [
    ...['batcher', '--network', world.network, '--data-dir', folder, '--l1.rpc', l1.rpcUrl, '--l2.rpc', source.rpcUrl],
    ...['--rollup.rpc', source.rollupUrl, '--batch-type', form.batchType, '--compression', form.compression],
    ...['--data-availability', form.dataAvailability, '--max-channel-duration', '1'],
    ...['--admin.port', String(world.nextPort()), '--metrics.port', String(world.nextPort())],
  ]
}

export const ourBatcherKey = { KEELSON_PRIVATE_KEY: DEV_ROLES.batcher.privateKey } as const

export function opBatcher(world: World, form: BatchForm): readonly string[] {
  const { l1, l2 } = world.devnet.facts
  return [
    ...['--l1-eth-rpc', l1.rpcUrl, '--l2-eth-rpc', l2.rpcUrl, '--rollup-rpc', l2.rollupRpcUrl],
    ...['--private-key', DEV_ROLES.batcher.privateKey, '--batch-type', form.batchType === 'span' ? '1' : '0'],
    ...['--compression-algo', form.compression, '--data-availability-type', form.dataAvailability, '--max-channel-duration', '1'],
    ...['--poll-interval', '1s', '--num-confirmations', '1', '--txmgr.receipt-query-interval', '500ms'],
    ...['--rpc.addr', HOST, '--rpc.port', String(world.nextPort())],
  ]
}

export function ourProposer(world: World, folder: string, source: ChainView): readonly string[] {
  const { l1, contracts } = world.devnet.facts
  return [
    ...['proposer', '--network', world.network, '--data-dir', folder, '--l1.rpc', l1.rpcUrl, '--rollup.rpc', source.rollupUrl],
    ...['--oracle', contracts.L2OutputOracle as string, '--allow-non-finalized', '--poll-interval-ms', '1000'],
    ...['--admin.port', String(world.nextPort()), '--metrics.port', String(world.nextPort())],
  ]
}

export const ourProposerKey = { KEELSON_PRIVATE_KEY: DEV_ROLES.proposer.privateKey } as const

export function opProposer(world: World, source: ChainView): readonly string[] {
  const { l1, contracts } = world.devnet.facts
  return [
    ...['--l1-eth-rpc', l1.rpcUrl, '--rollup-rpc', source.rollupUrl, '--l2oo-address', contracts.L2OutputOracle as string],
    ...['--private-key', DEV_ROLES.proposer.privateKey, '--allow-non-finalized', '--poll-interval', '1s'],
    ...['--num-confirmations', '1', '--txmgr.receipt-query-interval', '500ms', '--rpc.addr', HOST, '--rpc.port', String(world.nextPort())],
  ]
}
