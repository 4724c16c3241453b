/** Registers a devnet's validators once the chain answers. */

import { encodeRegister } from '@keelson/contracts'
import { type Address, type Clock, type Logger, toAddress } from '@keelson/primitives'
import type { Service } from '@keelson/runtime'
import { type AttestationSender, placeOf, type RegistrationSigner, type StakingChain } from '@keelson/validator'

interface Dependencies {
  readonly chain: StakingChain
  readonly chainId: bigint
  readonly signers: readonly RegistrationSigner[]
  readonly sender: {
    readonly address: Address
    send(transaction: { to: Address; data: Uint8Array; valueWei: bigint; label: string }): ReturnType<AttestationSender['send']>
  }
  readonly clock: Clock
  readonly log: Logger
}

const NO_KEY = toAddress(`0x${'00'.repeat(20)}`)
const AGAIN_MS = 2_000

export function createStakeAtStart(valueWei: bigint, { chain, chainId, signers, sender, clock, log }: Dependencies): Service {
  const stopping = new AbortController()
  let loop: Promise<void> = Promise.resolve()

  async function registerAll(): Promise<void> {
    const head = await chain.head()
    const { epoch } = placeOf(head.number, await chain.terms())
    const { keys } = await chain.positions(
      signers.map(({ address }) => address),
      head.number,
      epoch,
    )
    for (const signer of signers) {
      if (keys.find(({ key }) => key === signer.address)?.record !== null) continue
      const registration = { owner: sender.address, payout: sender.address, signingKey: signer.address, blockKey: NO_KEY }
      const signingProof = await signer.signRegistration({ domain: { chainId, contract: chain.contract }, registration })
      const data = encodeRegister(registration, { signingProof, blockProof: new Uint8Array(0) })
      const { succeeded, blockNumber } = await sender.send({ to: chain.contract, data, valueWei, label: `register ${signer.address}` })
      if (succeeded) log.info('registered', { key: signer.address, stakeWei: valueWei, block: blockNumber })
      else log.warn('the registration reverted', { key: signer.address, block: blockNumber })
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        return await registerAll()
      } catch (error) {
        log.warn('cannot register yet, trying again', { error })
        await clock.sleep(AGAIN_MS, stopping.signal).catch(() => undefined)
      }
    }
  }

  return {
    name: 'stake at start',
    async start() {
      loop = run()
    },
    async stop() {
      stopping.abort()
      await Promise.race([loop, Promise.resolve()])
    },
  }
}
