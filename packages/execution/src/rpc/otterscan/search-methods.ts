/** The chain has no index of addresses, so pages are found by reading blocks. */
import { type Address, type Block, bytesToHex, createsContract, parseAddress, recipientOf } from '@keelson/primitives'
import { createTurnTaker, invalidParams } from '@keelson/runtime'
import type { Json } from '../block-json.ts'
import { transactionToJson } from '../block-json.ts'
import { rpcError } from '../errors.ts'
import type { ReadMethods } from '../limits/read-lanes.ts'
import { argument } from '../params.ts'
import { receiptToJson } from '../receipt-json.ts'
import type { ReadDependencies } from '../rpc-dependencies.ts'
import { parseCount } from './parse-count.ts'

const MAX_PAGE = 100
const MAX_BLOCKS = 10_000

interface Page {
  readonly txs: Json[]
  readonly receipts: Json[]
  readonly firstPage: boolean
  readonly lastPage: boolean
}

export function searchMethods(deps: ReadDependencies): Pick<ReadMethods, 'ots_searchTransactionsBefore' | 'ots_searchTransactionsAfter'> {
  const { chain } = deps
  const read = (params: readonly unknown[]) => {
    const address = argument(params, 0, parseAddress)
    const block = argument(params, 1, parseCount)
    const size = argument(params, 2, parseCount)
    if (size === 0 || size > MAX_PAGE) throw invalidParams(`invalid argument 2: expected a page size from 1 to ${MAX_PAGE}, got ${size}`)
    return { address, block, size, head: chain.label('unsafe').header.number }
  }
  return {
    async ots_searchTransactionsBefore(params): Promise<Page> {
      const { address, block, size, head } = read(params)
      const start = block === 0 ? head : Math.min(head, block - 1)
      const { found, end } = await collect(deps, address, { start, last: 0, step: -1, size })
      return { ...pageOf(found), firstPage: block === 0 || block > head, lastPage: end }
    },
    async ots_searchTransactionsAfter(params): Promise<Page> {
      const { address, block, size, head } = read(params)
      const { found, end } = await collect(deps, address, { start: block === 0 ? 0 : block + 1, last: head, step: 1, size })
      return { ...pageOf(found.reverse()), firstPage: end, lastPage: block === 0 }
    },
  }
}

interface Search {
  readonly start: number
  readonly last: number
  readonly step: 1 | -1
  readonly size: number
}

interface Entry {
  readonly tx: Json
  readonly receipt: Json
}

/** Whole blocks, so that a page may be larger than asked. Throws -32005 when many blocks have no transaction of the address. */
async function collect(deps: ReadDependencies, address: Address, { start, last, step, size }: Search) {
  const turn = createTurnTaker()
  const found: Entry[] = []
  let number = start
  for (let blocks = 0; found.length < size && (last - number) * step >= 0; number += step) {
    if (blocks++ >= MAX_BLOCKS) {
      if (found.length > 0) return { found, end: false }
      const [from, to] = [Math.min(start, number - step), Math.max(start, number - step)]
      throw rpcError(
        'logRange',
        ` ${MAX_BLOCKS}: no transaction of ${address} in blocks ${from}-${to}; continue from there, or use keelson index`,
        { from, to },
      )
    }
    const hash = deps.chain.canonicalHash(number)
    const block = hash === null ? null : deps.chain.block(hash)
    const entries = block === null ? [] : entriesOf(deps, block, address)
    found.push(...(step === 1 ? entries : entries.reverse()))
    await turn()
  }
  return { found, end: (last - number) * step < 0 }
}

function entriesOf({ chain, rules }: ReadDependencies, block: Block, address: Address): Entry[] {
  const receipts = chain.receipts(block.hash) ?? []
  return block.transactions.flatMap((tx, index) => {
    const stored = receipts[index]
    if (stored === undefined) return []
    const to = recipientOf(tx)
    const isParty = bytesToHex(stored.sender) === address || (to !== null && bytesToHex(to) === address)
    const isNamed = stored.receipt.logs.some((log) => log.address === address)
    if (!isParty && !isNamed && !createsContract(tx)) return []
    const receipt = receiptToJson(block, receipts, index, rules.rulesAt(block.header))
    if (!isParty && !isNamed && receipt.contractAddress !== address) return []
    const shown = transactionToJson(tx, { blockHash: block.hash, header: block.header, index, receipt: stored })
    return [{ tx: shown, receipt: { ...receipt, timestamp: shown.blockTimestamp } }]
  })
}

function pageOf(found: readonly Entry[]): Pick<Page, 'txs' | 'receipts'> {
  return { txs: found.map(({ tx }) => tx), receipts: found.map(({ receipt }) => receipt) }
}
