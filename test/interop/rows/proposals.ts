import { decodeBlockNumber, decodeL2Output, encodeGetL2Output, OUTPUT_ORACLE_CALLS, type ProposedOutput } from '@keelson/contracts'
import { bytesToHex, hexToBytes } from '@keelson/primitives'
import { eventually } from '../../support/eventually.ts'
import { rpcCall } from '../../support/json-rpc.ts'
import type { RunningProcess } from '../process-set.ts'
import { KEELSON, opProposer, ourProposer, ourProposerKey } from '../programs.ts'
import type { Row } from '../row.ts'
import type { World } from '../world.ts'
import { following } from './following.ts'

const PROPOSALS = 2
const TIMEOUT_MS = 200_000

export const opProposerOnOurs: Row = {
  what: 'op-proposer proposes output roots from our rollup RPC',
  needs: ['op-proposer'],
  run: (world) =>
    withProposer(world, (slug) => world.processes.start(slug, world.programs['op-proposer'] as string, opProposer(world, world.sequencer))),
}

export const ourProposerOnOpNode: Row = {
  what: "our proposer proposes output roots from op-node's rollup RPC",
  needs: ['op-node'],
  async run(world) {
    const node = await world.node('op-node on ours')
    await node.run(await following(world))
    await withProposer(world, (slug) =>
      world.processes.start(slug, process.execPath, [KEELSON, ...ourProposer(world, `${world.processes.folder}/${slug}`, node)], {
        env: ourProposerKey,
      }),
    )
  },
}

async function withProposer(world: World, start: (slug: string) => RunningProcess): Promise<void> {
  await rpcCall(world.proposerAdminUrl, 'admin_stopProposer')
  const first = await outputCount(world)
  const proposer = start(`proposer-from-${first}`)
  try {
    await eventually(`${PROPOSALS} more outputs on L1`, async () => (await outputCount(world)) >= first + PROPOSALS, TIMEOUT_MS).catch(
      (error: unknown) => {
        throw new Error(`${error instanceof Error ? error.message : error}; the proposer's last words: ${proposer.tail().slice(-800)}`)
      },
    )
    for (let index = first; index < first + PROPOSALS; index++) await assertOutput(world, index)
  } finally {
    await proposer.stop()
    await rpcCall(world.proposerAdminUrl, 'admin_startProposer')
  }
}

async function assertOutput(world: World, index: number): Promise<void> {
  const proposed: ProposedOutput = decodeL2Output(await callOracle(world, encodeGetL2Output(BigInt(index))))
  const { outputRoot } = await rpcCall<{ outputRoot: string }>(world.validator.rollupUrl, 'optimism_outputAtBlock', [
    `0x${proposed.l2BlockNumber.toString(16)}`,
  ])
  if (outputRoot !== proposed.outputRoot) {
    throw new Error(`output ${index} for block ${proposed.l2BlockNumber} on L1 is ${proposed.outputRoot}, our validator says ${outputRoot}`)
  }
}

async function outputCount(world: World): Promise<number> {
  return decodeBlockNumber(await callOracle(world, OUTPUT_ORACLE_CALLS.nextOutputIndex))
}

async function callOracle(world: World, data: Uint8Array): Promise<Uint8Array> {
  const { l1, contracts } = world.devnet.facts
  const answer = await rpcCall<`0x${string}`>(l1.rpcUrl, 'eth_call', [{ to: contracts.L2OutputOracle, data: bytesToHex(data) }, 'latest'])
  return hexToBytes(answer)
}
