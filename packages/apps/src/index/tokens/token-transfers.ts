/** Transfers as logs show them. EIP-20, EIP-721, EIP-1155 */
import { ContractError, decodeParameters, eventTopic } from '@keelson/contracts'
import { type Address, type Hash, hexToBytes } from '@keelson/primitives'
import type { ChainLog } from '../chain/ports.ts'

export type TokenKind = 20 | 721 | 1155

export interface TokenTransfer {
  readonly kind: TokenKind
  readonly token: Address
  readonly sender: Address
  readonly recipient: Address
  readonly tokenId: bigint | null
  readonly amount: bigint
}

const TRANSFER = eventTopic('Transfer(address,address,uint256)')
const TRANSFER_SINGLE = eventTopic('TransferSingle(address,address,address,uint256,uint256)')
const TRANSFER_BATCH = eventTopic('TransferBatch(address,address,address,uint256[],uint256[])')
const WORD_DIGITS = 64
const ADDRESS = /^0x0{24}/

/** Returns nothing for a log that only looks like a transfer. */
export function transfersOf({ address: token, topics, data }: ChainLog): readonly TokenTransfer[] {
  const [event, first, second, third] = topics
  if (event === TRANSFER && topics.length === 3) return of20(token, addressOf(first), addressOf(second), data)
  if (event === TRANSFER && topics.length === 4) {
    const [sender, recipient] = [addressOf(first), addressOf(second)]
    if (sender === null || recipient === null || data !== '0x') return []
    return [{ kind: 721, token, sender, recipient, tokenId: BigInt(third as Hash), amount: 1n }]
  }
  if ((event === TRANSFER_SINGLE || event === TRANSFER_BATCH) && topics.length === 4) {
    const [sender, recipient] = [addressOf(second), addressOf(third)]
    if (sender === null || recipient === null) return []
    const items = event === TRANSFER_SINGLE ? singleItem(data) : batchItems(data)
    return items.map(({ tokenId, amount }) => ({ kind: 1155, token, sender, recipient, tokenId, amount }))
  }
  return []
}

function of20(token: Address, sender: Address | null, recipient: Address | null, data: string): readonly TokenTransfer[] {
  if (sender === null || recipient === null || data.length !== 2 + WORD_DIGITS) return []
  return [{ kind: 20, token, sender, recipient, tokenId: null, amount: BigInt(data) }]
}

function addressOf(topic: Hash | undefined): Address | null {
  return topic !== undefined && ADDRESS.test(topic) ? (`0x${topic.slice(26)}` as Address) : null
}

interface Item {
  readonly tokenId: bigint
  readonly amount: bigint
}

function singleItem(data: string): readonly Item[] {
  if (data.length !== 2 + 2 * WORD_DIGITS) return []
  return [{ tokenId: BigInt(data.slice(0, 2 + WORD_DIGITS)), amount: BigInt(`0x${data.slice(2 + WORD_DIGITS)}`) }]
}

function batchItems(data: string): readonly Item[] {
  try {
    const [ids, amounts] = decodeParameters('uint256[],uint256[]', hexToBytes(data)) as [readonly bigint[], readonly bigint[]]
    return ids.length === amounts.length ? ids.map((tokenId, i) => ({ tokenId, amount: amounts[i] as bigint })) : []
  } catch (error) {
    if (error instanceof ContractError) return []
    throw error
  }
}
