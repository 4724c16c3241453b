import { isDeepStrictEqual } from 'node:util'
import { eventually } from '../../support/eventually.ts'
import { rpcCall } from '../../support/json-rpc.ts'
import { compareShapes, shapeOf } from '../json-shape.ts'
import type { Row } from '../row.ts'
import { type ChainView, heads, waitSafe } from '../same-chain.ts'
import type { World } from '../world.ts'
import { following } from './following.ts'

const TIMEOUT_MS = 120_000
const FEWEST_BLOCKS = 8
const NO_SUCH_METHOD = -32601

async function bothFollowing(world: World): Promise<{ readonly theirs: ChainView; readonly ours: ChainView }> {
  const theirs = await world.node('op-node on ours')
  await theirs.run(await following(world))
  const safe = await waitSafe(world.sequencer, FEWEST_BLOCKS, TIMEOUT_MS)
  await Promise.all([theirs, world.validator].map((view) => waitSafe(view, safe, TIMEOUT_MS)))
  return { theirs, ours: world.validator }
}

function failWith(problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(problems.join('; '))
}

/** op-node has removed this field of the specification. */
const QUEUED = 'queued_unsafe_l2'
/** op-node writes meaningless zeros before Holocene. */
const BEFORE_HOLOCENE = 'genesis.system_config.eip1559Params'

async function shapeProblems(
  { theirs, ours }: { readonly theirs: ChainView; readonly ours: ChainView },
  method: string,
  params: readonly unknown[],
  differing: readonly string[] = [],
  pick: (answer: unknown) => unknown = (answer) => answer,
): Promise<readonly string[]> {
  const [a, b] = await Promise.all([theirs, ours].map(({ rollupUrl }) => rpcCall(rollupUrl, method, params)))
  const differences = compareShapes(shapeOf(pick(a)), shapeOf(pick(b)))
  const unexpected = (path: string) => !differing.some((known) => path === known || path.startsWith(`${known}.`))
  const [lacking, added] = [differences.lacking.filter(unexpected), differences.added.filter(unexpected)]
  return [
    ...(lacking.length === 0 ? [] : [`${method}: ours lacks ${lacking.join(', ')}`]),
    ...(added.length === 0 ? [] : [`${method}: ours alone has ${added.join(', ')}`]),
  ]
}

export const rollupShapes: Row = {
  what: 'optimism_syncStatus, _outputAtBlock, _rollupConfig, _version: the same keys in op-node and ours',
  needs: ['op-node'],
  async run(world) {
    const both = await bothFollowing(world)
    failWith([
      ...(await shapeProblems(both, 'optimism_syncStatus', [], [QUEUED])),
      ...(await shapeProblems(both, 'optimism_outputAtBlock', ['0x1'], [`syncStatus.${QUEUED}`])),
      ...(await shapeProblems(both, 'optimism_rollupConfig', [], ['chain_op_config', BEFORE_HOLOCENE])),
      ...(await shapeProblems(both, 'optimism_version', [])),
    ])
  },
}

const SAFE_HEADS_COMPARED = 6

export const rollupValues: Row = {
  what: 'optimism_rollupConfig, _outputAtBlock, _safeHeadAtL1Block: the same values in op-node and ours',
  needs: ['op-node'],
  async run(world) {
    const { theirs, ours } = await bothFollowing(world)
    const ask = (method: string, params: readonly unknown[]) =>
      Promise.all([theirs, ours].map(({ rollupUrl }) => rpcCall<Record<string, unknown>>(rollupUrl, method, params)))
    const problems: string[] = []
    const compare = (what: string, [a, b]: readonly Record<string, unknown>[], skip: readonly string[]) => {
      for (const key of Object.keys(a ?? {})) {
        if (skip.includes(key) || isDeepStrictEqual(a?.[key], b?.[key])) continue
        problems.push(`${what}: ${key} is ${JSON.stringify(a?.[key])} in op-node, ${JSON.stringify(b?.[key])} in ours`)
      }
    }
    compare('optimism_rollupConfig', (await ask('optimism_rollupConfig', [])).map(withoutZeroParams), [])
    const { safe } = await heads(theirs)
    for (const number of [0, 1, Math.floor(safe / 2), safe]) {
      compare(`output at ${number}`, await ask('optimism_outputAtBlock', [`0x${number.toString(16)}`]), ['syncStatus'])
    }
    const status = await rpcCall<{ current_l1: { number: number } }>(theirs.rollupUrl, 'optimism_syncStatus')
    await eventually(
      `our validator having derived from L1 block ${status.current_l1.number}`,
      async () => {
        const { current_l1 } = await rpcCall<{ current_l1: { number: number } }>(ours.rollupUrl, 'optimism_syncStatus')
        return current_l1.number >= status.current_l1.number
      },
      TIMEOUT_MS,
    )
    for (let l1 = status.current_l1.number - SAFE_HEADS_COMPARED; l1 < status.current_l1.number; l1++) {
      compare(`safe head at L1 block ${l1}`, await ask('optimism_safeHeadAtL1Block', [`0x${l1.toString(16)}`]), [])
    }
    failWith(problems)
  },
}

function withoutZeroParams(config: Record<string, unknown>): Record<string, unknown> {
  const genesis = config.genesis as { readonly system_config: Readonly<Record<string, unknown>> }
  const { eip1559Params, ...system_config } = genesis.system_config
  const isZero = eip1559Params === undefined || /^0x0+$/.test(String(eip1559Params))
  return isZero ? { ...config, genesis: { ...genesis, system_config } } : config
}

const onePeer = (answer: unknown) => {
  const { peers, ...rest } = answer as { readonly peers: Readonly<Record<string, unknown>> }
  return { ...rest, peer: Object.values(peers)[0] }
}

export const p2pShapes: Row = {
  what: 'opp2p_self, _peers, _peerStats: every key of op-node is in ours',
  needs: ['op-node'],
  async run(world) {
    const both = await bothFollowing(world)
    const lacking = (problems: readonly string[]) => problems.filter((problem) => problem.includes('ours lacks'))
    failWith(
      lacking([
        ...(await shapeProblems(both, 'opp2p_self', [])),
        ...(await shapeProblems(both, 'opp2p_peers', [true], [], onePeer)),
        ...(await shapeProblems(both, 'opp2p_peerStats', [])),
      ]),
    )
  },
}

const METHODS = [
  ...['outputAtBlock', 'safeHeadAtL1Block', 'syncStatus', 'rollupConfig', 'version'].map((name) => `optimism_${name}`),
  ...['self', 'peers', 'peerStats', 'discoveryTable', 'connectPeer', 'disconnectPeer', 'protectPeer', 'unprotectPeer'].map(
    (name) => `opp2p_${name}`,
  ),
  ...['blockPeer', 'unblockPeer', 'listBlockedPeers', 'blockAddr', 'unblockAddr', 'listBlockedAddrs'].map((name) => `opp2p_${name}`),
  ...['blockSubnet', 'unblockSubnet', 'listBlockedSubnets'].map((name) => `opp2p_${name}`),
  ...['startSequencer', 'stopSequencer', 'sequencerActive', 'resetDerivationPipeline', 'postUnsafePayload'].map((name) => `admin_${name}`),
  ...['overrideLeader', 'conductorEnabled', 'setLogLevel'].map((name) => `admin_${name}`),
]

export const methodsPresent: Row = {
  what: `the ${METHODS.length} methods of op-node's RPC are in ours`,
  needs: ['op-node'],
  async run(world) {
    const theirs = await world.node('op-node on ours')
    await theirs.run(await following(world))
    const ours = await world.node('ours on ours')
    await ours.run(await following(world))
    const absent: string[] = []
    for (const method of METHODS) {
      if (!(await hasMethod(theirs.rollupUrl, method))) throw new Error(`op-node itself has no ${method}`)
      if (!(await hasMethod(ours.rollupUrl, method))) absent.push(method)
    }
    failWith(absent.length === 0 ? [] : [`ours has no ${absent.join(', ')}`])
  },
}

async function hasMethod(url: string, method: string): Promise<boolean> {
  try {
    await rpcCall(url, method)
    return true
  } catch (error) {
    return !String(error).includes(`${method}: ${NO_SUCH_METHOD} `)
  }
}
