/** Executes a block vector with the node's engine and state code. */
import { createWasmEngine } from '@keelson/evm'
import { createPureCrypto, hashHeader, type Transaction } from '@keelson/primitives'
import { asText, executedReceipt } from '../../conformance/groups/op-exec-receipts.ts'
import { executeOpBlock, type OpBlockVector } from '../../conformance/op-block.ts'

export interface PageAnswer {
  readonly blockHash: string | null
  readonly stateRoot: string | null
  readonly receipts: unknown
  readonly error: string | null
}

/** Any seed will do, because nobody attacks this page. */
const HASH_SEED = Uint8Array.from({ length: 80 }, (_, i) => (37 * i + 11) & 0xff)

async function executeVector(json: string): Promise<string> {
  try {
    const crypto = createPureCrypto()
    const { header, transactions, result } = await executeOpBlock(
      JSON.parse(json) as OpBlockVector,
      createWasmEngine({ crypto, hashSeed: HASH_SEED }),
      crypto,
    )
    const receipts = asText(result.transactions.map((done, i) => executedReceipt(transactions[i] as Transaction, done)))
    return answer({ blockHash: hashHeader(header), stateRoot: header.stateRoot, receipts, error: null })
  } catch (error) {
    return answer({
      blockHash: null,
      stateRoot: null,
      receipts: null,
      error: error instanceof Error ? `${error.message}\n${error.stack}` : String(error),
    })
  }
}

function answer(fields: PageAnswer): string {
  return JSON.stringify(fields)
}

Object.assign(globalThis, { executeVector })
