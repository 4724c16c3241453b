/** A validator whose operator makes its key sign two attestations in each epoch, as long as the key is active. */
import { ATTEST_GAS, type Attestation, encodeAttest, OWN_CONTRACTS, type SignedAttestation } from '@keelson/contracts'
import { messageOf } from '@keelson/primitives'
import { Secret } from '@keelson/runtime'
import {
  type BareSigner,
  createAttestationClient,
  createLocalValidatorSigner,
  createStakingChain,
  placeOf,
  type StakingPositions,
} from '@keelson/validator'
import type { SimulatedDisk } from '../disk/simulated-disk.ts'
import { type Host, PORTS, urlOf } from '../roles/host.ts'
import type { RollupNetwork } from '../roles/rollup-network.ts'
import type { MayFail } from '../roles/supervised-role.ts'
import { openFeeAccount } from './fee-account.ts'
import { signingKeyOf } from './validator-accounts.ts'

export interface Misdeed {
  /** One attestation goes into a block and the other into gossip; otherwise both go into gossip. */
  readonly onChain: boolean
  /** Both name the same block, with different L1 origins. */
  readonly sameBlock: boolean
}

export interface OffenderSetup {
  readonly misdeed: Misdeed
  readonly journal: SimulatedDisk
  readonly sequencers: readonly string[]
  watchSigner(signer: BareSigner): BareSigner
  /** Called when both attestations of an epoch are on their way. */
  onOffence(): void
}

const POLL_INTERVAL_MS = 2_000

/** Uses the nodes of its own machine, the key and the fee account of its validator. */
export async function startOffender(host: Host, network: RollupNetwork, setup: OffenderSetup): Promise<MayFail> {
  const { machine, process, log, world } = host
  const { journal, sequencers, misdeed, onOffence } = setup
  const chainId = network.config.l2ChainId
  const contract = OWN_CONTRACTS.Staking
  const chain = createStakingChain(host.rpc(urlOf(machine, PORTS.execution)), contract)
  const rollup = host.rpc(urlOf(machine, PORTS.rollup))
  const gossip = createAttestationClient((method, params) => rollup.call(method, params))
  const signer = setup.watchSigner(createLocalValidatorSigner(new Secret(signingKeyOf(machine)), world.crypto))
  const sender = openFeeAccount(host, network, { validator: machine, journal, sequencers })
  let recovered = false
  let doneEpoch = 0

  const sign = async (attestation: Attestation, { anchor }: StakingPositions): Promise<SignedAttestation> => ({
    attestation,
    signature: await signer.signUnguarded({ kind: 'attestation', domain: { chainId, contract }, anchor, attestation }),
  })

  async function attest(signed: SignedAttestation): Promise<void> {
    const label = `attest ${signer.address} ${signed.attestation.epoch}`
    const { succeeded } = await sender.send({ to: contract, data: encodeAttest(signed), gasLimit: ATTEST_GAS, label })
    if (!succeeded) throw new RangeError('the contract did not take the attestation')
  }

  async function offend(): Promise<void> {
    if (!recovered) await sender.recover()
    recovered = true
    const { number: head } = await chain.head()
    const { epoch, slot } = placeOf(head, await chain.terms())
    if (epoch <= doneEpoch) return
    const positions = await chain.positions([signer.address], head, epoch)
    if (positions.keys[0]?.record?.slashed !== false || positions.keys[0].weightWei === 0n) return
    const [first, second] = await attestationsOf(epoch, slot)
    const send = misdeed.onChain ? attest : gossip.publishAttestation
    await gossip.publishAttestation(await sign(second, positions))
    await send(await sign(first, positions))
    doneEpoch = epoch
    onOffence()
  }

  /** The contract checks the number and hash of the block, and nobody checks the L1 origin. */
  async function attestationsOf(epoch: number, slot: number): Promise<readonly [Attestation, Attestation]> {
    const at = async (checkpointNumber: number): Promise<Attestation> => {
      const checkpointHash = await chain.blockHash(checkpointNumber)
      if (checkpointHash === null) throw new RangeError(`the execution client does not know block ${checkpointNumber}`)
      return { epoch, checkpointNumber, checkpointHash, l1OriginNumber: 1, l1OriginHash: checkpointHash }
    }
    const first = await at(slot - 1)
    return [first, misdeed.sameBlock ? { ...first, l1OriginNumber: 2 } : await at(slot - 2)]
  }

  async function run(): Promise<never> {
    for (;;) {
      await offend().catch((error: unknown) => log.debug('the offence is tried again', { reason: messageOf(error) }))
      await process.clock.sleep(POLL_INTERVAL_MS)
    }
  }

  await sender.start(new AbortController().signal)
  return { failure: run() }
}
