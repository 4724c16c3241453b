import assert from 'node:assert/strict'
import { createForkSchedule, FORKS, type ForkTimes } from '@keelson/chainspec'
import {
  bytesToHex,
  encodeHeader,
  hexToBytes,
  keccak256,
  l2Time,
  parsePayloadAttributesJson,
  parseUncheckedHeaderJson,
  type RlpInput,
  rlpDecode,
  rlpEncode,
} from '@keelson/primitives'
import { type JudgeBlockOptions, judgeBlock, type Verdict } from '@keelson/second-opinion'
import { syncKzg } from '../../support/sync-kzg.ts'
import type { ConformanceGroup } from '../group.ts'
import { type ExpectedReceipt, gasOfSums, statedReceiptsRoot } from './op-exec-receipts.ts'

interface BlockVector {
  readonly rollupConfig: Readonly<Record<string, unknown>>
  readonly parentHeader: unknown
  readonly payloadAttributes: unknown
  readonly expectedBlockHash: string
  readonly derivedExpected: { readonly header: { readonly receiptsRoot: string }; readonly receipts: readonly ExpectedReceipt[] }
  readonly witness: Readonly<Record<string, string>>
}

const FOLDER = 'op-exec-blocks/'

function optionsOf(vector: BlockVector): JudgeBlockOptions {
  const times = Object.fromEntries(FORKS.map((fork) => [fork, vector.rollupConfig[`${fork}_time`] ?? null]))
  const forks = createForkSchedule({ times: { ...times, regolith: 0 } as ForkTimes })
  const parent = parseUncheckedHeaderJson(vector.parentHeader)
  const header = encodeHeader(parseUncheckedHeaderJson(vector.derivedExpected.header))
  assert.equal(bytesToHex(keccak256(header)), vector.expectedBlockHash)
  const { transactions, timestampSec } = parsePayloadAttributesJson(vector.payloadAttributes)
  const inBody = (raw: Uint8Array) => ((raw[0] as number) >= 0xc0 ? (rlpDecode(raw) as RlpInput) : raw)
  const preimages = Object.values(vector.witness).map((preimage) => hexToBytes(preimage))
  return {
    block: rlpEncode([rlpDecode(header) as RlpInput, transactions.map(inBody), [], []]),
    witness: { state: preimages, codes: preimages, headers: [encodeHeader(parent)] },
    rules: forks.blockRules(l2Time(timestampSec)),
    transition: forks.transition(l2Time(parent.timestampSec), l2Time(timestampSec)),
    chainId: BigInt(vector.rollupConfig.l2_chain_id as number),
    kzg: syncKzg,
  }
}

async function run(vector: BlockVector): Promise<void> {
  assert.deepEqual(await judgeBlock(optionsOf(vector)), { kind: 'agrees' } satisfies Verdict)
  const { header, receipts } = vector.derivedExpected
  // The second opinion agrees with the root, so receipts that hash to it are right.
  assert.equal(statedReceiptsRoot(receipts), header.receiptsRoot, 'receipts')
  assert.deepEqual(
    receipts.map(({ gasUsed }) => BigInt(gasUsed)),
    gasOfSums(receipts),
  )
  const { transactions } = parsePayloadAttributesJson(vector.payloadAttributes)
  assert.deepEqual(
    receipts.map(({ txHash }) => txHash),
    transactions.map((raw) => bytesToHex(keccak256(raw))),
  )
}

export const secondOpinion: ConformanceGroup = {
  name: 'second-opinion',
  under: [FOLDER],
  load: (folder) =>
    folder.casesOf(folder.paths(FOLDER, /\.json(\.gz)?$/), (path) => [
      { id: path.slice(FOLDER.length).replace(/\.json(\.gz)?$/, ''), run: () => run(folder.json<BlockVector>(path)) },
    ]),
}
