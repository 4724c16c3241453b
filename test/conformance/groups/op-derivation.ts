import assert from 'node:assert/strict'
import { bytesToHex, decodeTransaction, hexToBytes } from '@keelson/primitives'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'
import { BeaconAnswers, type BlobCodecVector, blobCodecCase, type SidecarVector } from './op-derivation-blobs.ts'
import { type BatcherCalldata, batcherTxCase, type ChannelVector, channelCase, type SignedBatcherTx } from './op-derivation-channels.ts'
import { type L1InfoVector, l1InfoCase } from './op-derivation-l1-info.ts'
import { isRawSpanBatch, rawSpanBatchCases, type SpanFieldVector, singularToSpanCase, spanFieldCase } from './op-derivation-span-batch.ts'

type Vector = Readonly<Record<string, unknown>>

const FOLDER = 'op-derivation/'
const UPGRADES = `${FOLDER}upgrade-txs/`

function checkFormatSample(vector: Vector): void {
  const { l1Blocks } = vector as unknown as { readonly l1Blocks: readonly { readonly transactions: readonly string[] }[] }
  const raws = l1Blocks.flatMap((block) => block.transactions)
  assert.ok(raws.length > 0)
  for (const raw of raws) assert.equal(bytesToHex(decodeTransaction(hexToBytes(raw)).raw), raw)
}

function casesOf(id: string, vector: Vector, beacon: BeaconAnswers): ConformanceCase[] | null {
  const kind = String(vector.kind ?? '')
  if (beacon.take(vector)) return null
  if (kind === 'brotli' || kind === 'channel-data') return [channelCase(id, vector as unknown as ChannelVector)]
  if (kind === 'l1-batcher-tx' || kind === 'batcher-calldata')
    return [batcherTxCase(id, vector as unknown as SignedBatcherTx | BatcherCalldata)]
  if (kind === 'blob-codec') return [blobCodecCase(id, vector as unknown as BlobCodecVector)]
  if (kind === 'beacon-blob-sidecar') return [beacon.sidecarCase(id, vector as unknown as SidecarVector)]
  if (kind.startsWith('singular-batches')) return [singularToSpanCase(id, vector as unknown as { l2BlockTime: number; batches: string[] })]
  if (vector.rawDepositTx !== undefined || vector.calldata !== undefined) return [l1InfoCase(id, vector as L1InfoVector)]
  if (typeof vector.name === 'string') return [spanFieldCase(id, vector as unknown as SpanFieldVector)]
  if (vector.l1Blocks !== undefined) return [{ id, run: () => checkFormatSample(vector) }]
  assert.ok(isRawSpanBatch(id, vector), 'no check is known for a vector of this form')
  return rawSpanBatchCases(id, vector)
}

function isSample(path: string): boolean {
  return path.startsWith(`${FOLDER}op-tests-format/`) && !path.endsWith('fixture.json')
}

export const opDerivation: ConformanceGroup = {
  name: 'op-derivation',
  under: [FOLDER],
  load(folder) {
    const beacon = new BeaconAnswers()
    const paths = folder.paths(FOLDER, /\.json(\.gz)?$/).filter((path) => !path.startsWith(UPGRADES))
    return folder.casesOf(paths, (path) => {
      const id = path.slice(FOLDER.length).replace(/\.json(\.gz)?$/, '')
      if (!isSample(path)) return casesOf(id, folder.json<Vector>(path), beacon)
      folder.leaveOut('parts of a format with made-up values')
      return null
    })
  },
}
