import { TX_LEGACY } from '@keelson/primitives'
import { ByteReader } from '../bytes/byte-reader.ts'
import { packedBitAt } from './bitlist.ts'
import { ADDRESS_BYTES, SIGNATURE_BYTES, type SpanBatchTxsLayout } from './span-batch-layout.ts'
import { joinTransaction } from './span-batch-tx.ts'
import { readTxData, typeOf } from './span-batch-txs.ts'

const WORD_BYTES = 32

type Sections = Readonly<Record<'signatures' | 'tos' | 'datas' | 'nonces' | 'gases', ByteReader>>

export class SpanTransactionCursor {
  readonly #txs: SpanBatchTxsLayout
  readonly #chainId: bigint
  #sections: Sections
  #at = 0
  #legacy = 0

  constructor(txs: SpanBatchTxsLayout, chainId: bigint) {
    this.#txs = txs
    this.#chainId = chainId
    this.#sections = sectionsOf((name) => txs[name])
  }

  copy(): SpanTransactionCursor {
    const other = new SpanTransactionCursor(this.#txs, this.#chainId)
    other.#sections = sectionsOf((name) => this.#sections[name].rest())
    other.#at = this.#at
    other.#legacy = this.#legacy
    return other
  }

  /** Throws CodecError when the fields form no transaction. */
  next(): Uint8Array {
    const { signatures, tos, datas, nonces, gases } = this.#sections
    const at = this.#at++
    const data = readTxData(datas)
    const type = typeOf(data)
    const split = {
      type,
      to: packedBitAt(this.#txs.contractCreationBits, at) === 1 ? null : tos.bytes(ADDRESS_BYTES, 'to'),
      nonce: nonces.uvarint('nonce'),
      gasLimit: gases.uvarint('gas limit'),
      yParity: packedBitAt(this.#txs.yParityBits, at),
      isProtected: type === TX_LEGACY && packedBitAt(this.#txs.protectedBits, this.#legacy++) === 1,
      r: signatures.bytes(WORD_BYTES, 'signature'),
      s: signatures.bytes(WORD_BYTES, 'signature'),
      data,
    }
    return joinTransaction(split, this.#chainId)
  }

  *take(count: number): Generator<Uint8Array> {
    for (let i = 0; i < count; i++) yield this.next()
  }

  skip(count: number): void {
    const { signatures, tos, datas, nonces, gases } = this.#sections
    signatures.skip(SIGNATURE_BYTES * count)
    for (const end = this.#at + count; this.#at < end; this.#at++) {
      if (packedBitAt(this.#txs.contractCreationBits, this.#at) === 0) tos.skip(ADDRESS_BYTES)
      if (typeOf(readTxData(datas)) === TX_LEGACY) this.#legacy++
      nonces.skipUvarint('nonce')
      gases.skipUvarint('gas limit')
    }
  }

  *leadingBytes(count: number): Generator<number | undefined> {
    for (let i = 0; i < count; i++) yield readTxData(this.#sections.datas)[0]
  }
}

function sectionsOf(bytesOf: (name: keyof Sections) => Uint8Array): Sections {
  const read = (name: keyof Sections) => new ByteReader(bytesOf(name), 'codec/batch')
  return { signatures: read('signatures'), tos: read('tos'), datas: read('datas'), nonces: read('nonces'), gases: read('gases') }
}
