/** Deposits, waits for the credit on L2, withdraws a part, proves and finalizes it on L1, and begins again. */
import {
  type BridgeContracts,
  BridgeError,
  type ChainReader,
  planFinalization,
  planNativeDeposit,
  planNativeWithdrawal,
  planPortalCall,
  planProof,
  readDepositProgress,
  readWithdrawalProgress,
  type WithdrawalProgress,
} from '@keelson/apps/bridge'
import { ClientError } from '@keelson/client'
import type { Clock, Hash, Random } from '@keelson/primitives'
import type { Wallet } from './wallet.ts'

/** By its transaction on the chain where it begins. */
export interface Transfer {
  readonly kind: 'deposit' | 'withdrawal'
  readonly txHash: Hash
}

export interface BridgeUserParts {
  readonly l1: ChainReader
  readonly l2: ChainReader
  readonly l1Wallet: Wallet
  readonly l2Wallet: Wallet
  readonly contracts: BridgeContracts
  readonly clock: Clock
  readonly random: Random
  onTransfer(transfer: Transfer): void
}

const ETHER = 10n ** 18n
const LEAST_DEPOSIT_WEI = ETHER / 50n
const MOST_DEPOSIT_WEI = 2n * ETHER
/** Kept on L2 for fees. */
const RESERVE_WEI = ETHER / 200n
const PORTAL_CALL_GAS = 100_000n
const FINALIZATION_GAS = 1_000_000n
const POLL_MS = 60_000
const IDLE_MS = 180_000
/** A transaction that stays unknown this often is lost. */
const MAX_UNKNOWN = 20
const SECOND_FINALIZATION = 0.3

export class BridgeUser {
  /** Journeys from L1 to L2 and back. */
  completed = 0
  readonly #parts: BridgeUserParts

  constructor(parts: BridgeUserParts) {
    this.#parts = parts
  }

  async run(isOver: () => boolean): Promise<void> {
    const { random, clock } = this.#parts
    while (!isOver()) {
      await clock.sleep(IDLE_MS * random.next())
      const deposit = await this.#begin('deposit', () => this.#deposit())
      if (deposit === null || !(await this.#isCredited(deposit))) continue
      const withdrawal = await this.#begin('withdrawal', () => this.#withdraw())
      if (withdrawal !== null && (await this.#isPaid(withdrawal))) this.completed++
    }
  }

  async #begin(kind: Transfer['kind'], send: () => Promise<Hash | null>): Promise<Hash | null> {
    const txHash = await this.#attempt(send)
    if (txHash !== null) this.#parts.onTransfer({ kind, txHash })
    return txHash
  }

  #deposit(): Promise<Hash> {
    const { contracts, l1Wallet, random } = this.#parts
    const amountWei = between(random, LEAST_DEPOSIT_WEI, MOST_DEPOSIT_WEI)
    const { address } = l1Wallet
    const call = { to: address, valueWei: amountWei, data: new Uint8Array(0), gasLimit: PORTAL_CALL_GAS }
    return l1Wallet.send(
      random.next() < 0.5 ? planPortalCall(contracts, call, amountWei) : planNativeDeposit(contracts, address, amountWei),
    )
  }

  async #isCredited(deposit: Hash): Promise<boolean> {
    const { l1, l2, contracts } = this.#parts
    for (let unknown = 0; unknown < MAX_UNKNOWN; ) {
      await this.#pause()
      const progress = await this.#attempt(async () => (await readDepositProgress(l1, l2, contracts, deposit)) ?? [])
      if (progress?.length === 0) unknown++
      if (progress?.some(({ state }) => state === 'failed')) return false
      if (progress?.some(({ state }) => state === 'complete')) return true
    }
    return false
  }

  /** Null when the deposit is not there any more. */
  async #withdraw(): Promise<Hash | null> {
    const { l2, l2Wallet, random } = this.#parts
    const balanceWei = await l2.balanceWei(l2Wallet.address)
    if (balanceWei <= RESERVE_WEI) return null
    return l2Wallet.send(planNativeWithdrawal(l2Wallet.address, between(random, 1n, balanceWei - RESERVE_WEI)))
  }

  async #isPaid(withdrawal: Hash): Promise<boolean> {
    const { l1, l2, contracts } = this.#parts
    for (let unknown = 0; unknown < MAX_UNKNOWN; ) {
      await this.#pause()
      const progress = await this.#attempt(async () => (await readWithdrawalProgress(l1, l2, contracts, withdrawal)) ?? [])
      const [first] = progress ?? []
      if (progress?.length === 0) unknown++
      if (first?.state === 'failed') return false
      if (first?.state === 'finalized') return true
      if (first !== undefined) await this.#attempt(() => this.#advance(first))
    }
    return false
  }

  async #advance({ state, withdrawal, output }: WithdrawalProgress): Promise<void> {
    const { l2, l1Wallet, contracts, random } = this.#parts
    if (withdrawal === null) return
    if (state === 'ready-to-prove' && output !== null) await l1Wallet.send(await planProof(l2, contracts, withdrawal, output))
    if (state !== 'ready-to-finalize') return
    const finalization = planFinalization(contracts, withdrawal)
    await l1Wallet.send(finalization)
    // Somebody may try to be paid twice.
    if (random.next() < SECOND_FINALIZATION) await l1Wallet.send({ ...finalization, gasLimit: FINALIZATION_GAS })
  }

  #pause(): Promise<void> {
    const { clock, random } = this.#parts
    return clock.sleep(POLL_MS * (0.5 + random.next()))
  }

  /** Null when a node does not answer, refuses, or is behind L1; the user tries again later. Any other error ends the run. */
  async #attempt<T>(act: () => Promise<T>): Promise<T | null> {
    try {
      return await act()
    } catch (error) {
      if (error instanceof ClientError || (error instanceof BridgeError && error.code === 'apps/bridge-mismatch')) return null
      throw error
    }
  }
}

function between(random: Random, least: bigint, most: bigint): bigint {
  return least + ((most - least) * BigInt(Math.floor(random.next() * 1e15))) / 10n ** 15n
}
