/** Anvil's transactions root covers blob transactions with their sidecars. */
import {
  concatBytes,
  equalBytes,
  type HashedHeader,
  orderedListRoot,
  parseData,
  parseHeaderJson,
  parseJsonArray,
  parseJsonObject,
  parseTransactionJson,
  type RlpInput,
  rlpDecode,
  rlpEncode,
  rlpList,
  type Transaction,
  TX_BLOB,
} from '@keelson/primitives'
import type { RpcClient } from '../rpc/rpc-client.ts'

export interface BlockWithTransactions extends HashedHeader {
  readonly transactions: readonly Transaction[]
}

/** Returns null when the network forms do not match the root either. Throws ClientError and CodecError. */
export async function readNetworkFormBlock(answer: unknown, rpc: RpcClient): Promise<BlockWithTransactions | null> {
  const { hash, header } = parseHeaderJson(answer)
  const transactions = parseJsonArray(parseJsonObject(answer, 'block').transactions, 'transactions', parseTransactionJson)
  if (!transactions.some((tx) => tx.type === TX_BLOB)) return null
  const encoded: Uint8Array[] = []
  for (const tx of transactions) encoded.push(tx.type === TX_BLOB ? await networkForm(tx, rpc) : tx.raw)
  return orderedListRoot(encoded) === header.transactionsRoot ? { hash, header, transactions } : null
}

async function networkForm(tx: Transaction, rpc: RpcClient): Promise<Uint8Array> {
  const raw = parseData(await rpc.call('eth_getRawTransactionByHash', [tx.hash]), 'raw transaction')
  const [fields] = rlpList(rlpDecode(raw.subarray(1)), 'raw transaction')
  if (fields === undefined || fields instanceof Uint8Array) return tx.raw
  const bare = concatBytes(Uint8Array.of(TX_BLOB), rlpEncode(fields as RlpInput))
  return equalBytes(bare, tx.raw) ? raw : tx.raw
}
