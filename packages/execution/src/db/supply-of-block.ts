/**
 * Deposits mint even if their call fails; the message passer holds withdrawn funds until `burn()`. Fees are not burnt. specs:
 * protocol/deposits.md#execution, protocol/predeploys.md#l2tol1messagepasser
 */
import {
  bloomMayContain,
  bytesToBigint,
  bytesToHex,
  type DepositTransaction,
  decodeTransaction,
  type Hash,
  hexToBytes,
  isDeposit,
  keccak256Hash,
  L2_TO_L1_MESSAGE_PASSER,
  type Log,
  rlpBytes,
  rlpDecode,
  rlpList,
  TX_DEPOSIT,
} from '@keelson/primitives'
import { asCalled, type KeyValueReader } from '@keelson/runtime'
import type { ChainReader } from '../chain/chain-reader.ts'
import { bodyKey } from '../chain/keys.ts'
import { ExecutionError } from '../errors.ts'

export interface PassedWithdrawal {
  readonly hash: Hash
  readonly wei: bigint
}

export interface BlockSupply {
  readonly mintedWei: bigint
  readonly deposits: number
  readonly failedDeposits: number
  readonly withdrawnWei: bigint
  readonly withdrawals: readonly PassedWithdrawal[]
  readonly burntWei: bigint
}

const PASSER = hexToBytes(L2_TO_L1_MESSAGE_PASSER)
const topicOf = (event: string): Hash => keccak256Hash(new TextEncoder().encode(event))
const MESSAGE_PASSED = topicOf('MessagePassed(uint256,address,address,uint256,uint256,bytes,bytes32)')
const BALANCE_BURNT = topicOf('WithdrawerBalanceBurnt(uint256)')
const WORD = 32

/** Throws ExecutionError `execution/missing-record`. */
export function supplyOfBlock(reader: KeyValueReader, chain: ChainReader, number: number): BlockSupply {
  const hash = chain.canonicalHash(number)
  const header = hash === null ? null : chain.header(hash)
  const body = hash === null ? null : reader.getSync(bodyKey(hash))
  if (hash === null || header === null || body === null) throw missing(`block ${number} (${hash ?? 'no hash'})`)
  const minting = depositsIn(body).filter(([, { mintWei }]) => mintWei > 0n)
  const passer = bloomMayContain(header.logsBloom, PASSER)
  const receipts = minting.length > 0 || passer ? chain.receipts(hash) : []
  if (receipts === null) throw missing(`the receipts of block ${number} (${hash})`)

  const withdrawals: PassedWithdrawal[] = []
  let [mintedWei, failedDeposits, withdrawnWei, burntWei] = [0n, 0, 0n, 0n]
  for (const [index, { mintWei }] of minting) {
    mintedWei += mintWei
    const outcome = receipts[index]?.receipt.outcome
    if (outcome !== undefined && 'status' in outcome && outcome.status === 0) failedDeposits++
  }
  if (passer) {
    for (const log of receipts.flatMap(({ receipt }) => receipt.logs)) {
      if (log.address !== L2_TO_L1_MESSAGE_PASSER) continue
      if (log.topics[0] === MESSAGE_PASSED) {
        const passed = decodePassed(log)
        withdrawnWei += passed.wei
        withdrawals.push(passed)
      } else if (log.topics[0] === BALANCE_BURNT) burntWei += BigInt(log.topics[1] ?? 0)
    }
  }
  return { mintedWei, deposits: minting.length, failedDeposits, withdrawnWei, withdrawals, burntWei }
}

function depositsIn(body: Uint8Array): (readonly [index: number, tx: DepositTransaction])[] {
  const deposits: (readonly [number, DepositTransaction])[] = []
  for (const [index, item] of rlpList(rlpList(rlpDecode(body), 'stored body')[0], 'stored transactions').entries()) {
    const raw = rlpBytes(item, 'stored transaction')
    if (raw[0] !== TX_DEPOSIT) continue
    const tx = decodeTransaction(raw)
    if (isDeposit(tx)) deposits.push([index, tx])
  }
  return deposits
}

function decodePassed({ data }: Log): PassedWithdrawal {
  return { wei: bytesToBigint(data.subarray(0, WORD)), hash: bytesToHex(data.subarray(3 * WORD, 4 * WORD)) as Hash }
}

function missing(what: string): ExecutionError {
  return new ExecutionError(
    'execution/missing-record',
    `${what} is not in the data directory: ${asCalled('db verify')} lists what else is missing`,
  )
}
