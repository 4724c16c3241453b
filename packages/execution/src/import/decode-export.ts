import { type Block, decodeBlock, decodeHeader, type Header, type RlpInput, rlpDecode, rlpEncode, rlpList } from '@keelson/primitives'

export interface ExportedBlock {
  readonly block: Block
  /** Needed for the block reward of proof-of-work L1 blocks; not stored. */
  readonly ommers: readonly Header[]
}

export function decodeExportedBlock(raw: Uint8Array): ExportedBlock {
  const ommers = rlpList(rlpList(rlpDecode(raw), 'block')[2], 'ommers')
  return { block: decodeBlock(raw), ommers: ommers.map((ommer) => decodeHeader(rlpEncode(ommer as RlpInput))) }
}
