/** Sends one transaction per key at a time, until the chain counts the attestation. */
import { ATTEST_GAS, encodeAttest } from '@keelson/contracts'
import type { Address, Clock, Logger } from '@keelson/primitives'
import { messageOf } from '@keelson/primitives'
import type { AttestationSender, HeldAttestation, KeyStatus } from './duty-ports.ts'

export interface AttestationSending {
  recover(): Promise<void>
  isUnderWay(key: Address, epoch: number): boolean
  send(key: Address, attestation: HeldAttestation): Pick<KeyStatus, 'state' | 'reason'>
  trouble(): string | null
}

export interface AttestationSendingDependencies {
  readonly contract: Address
  readonly sender: AttestationSender
  readonly stopping: AbortSignal
  readonly clock: Pick<Clock, 'nowMs'>
  readonly log: Logger
}

/** Limit on mined transactions per attestation; each costs a fee. */
const MAX_MINED = 5
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 8_000
const LABEL = /^attest (0x[0-9a-f]{40}) (\d+)$/

export function createAttestationSending({ contract, sender, stopping, clock, log }: AttestationSendingDependencies): AttestationSending {
  const sending = new Map<Address, number>()
  let recovered = false
  let problem: string | null = null

  function track(key: Address, epoch: number, receipt: Promise<unknown>): void {
    sending.set(key, epoch)
    const over = () => {
      if (sending.get(key) === epoch) sending.delete(key)
    }
    receipt.then(over, (error: unknown) => {
      over()
      if (!stopping.aborted) problem = messageOf(error)
    })
  }

  /** An attempt that was not mined costs no fee, so it is retried. */
  function putOff(attestation: HeldAttestation): void {
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attestation.failures)
    attestation.failures++
    attestation.notBeforeMs = clock.nowMs() + waitMs
  }

  return {
    async recover() {
      if (recovered) return
      const found = await sender.recover()
      recovered = true
      for (const { label, receipt } of found) {
        const [, key, epoch] = LABEL.exec(label) ?? []
        if (key !== undefined) track(key as Address, Number(epoch), receipt)
      }
    },
    isUnderWay: (key, epoch) => sending.get(key) === epoch,
    send(key, attestation) {
      if (attestation.mined >= MAX_MINED) {
        const reason = `it was mined ${MAX_MINED} times and the contract refused it; the transactions are in the log`
        return { state: 'refused', reason }
      }
      if (clock.nowMs() < attestation.notBeforeMs) return { state: 'waiting', reason: `it is resent shortly: ${problem}` }
      const { epoch, signed } = attestation
      const label = `attest ${key} ${epoch}`
      const sent = sender.send({ to: contract, data: encodeAttest(signed), gasLimit: ATTEST_GAS, label })
      sent.catch(() => putOff(attestation))
      const receipt = sent.then(({ succeeded, blockNumber, transactionHash }) => {
        problem = null
        attestation.mined++
        const fields = { key, epoch, block: blockNumber, tx: transactionHash }
        if (!succeeded) return log.warn('an attestation was mined but reverted; checking again', fields)
        attestation.minedIn = blockNumber
        log.info('attested', fields)
      })
      track(key, epoch, receipt)
      return { state: 'sent', reason: null }
    },
    trouble: () => problem ?? sender.trouble()?.reason ?? null,
  }
}
