import assert from 'node:assert/strict'
import type { DevnetFacts } from './devnet-process.ts'
import { eventually } from './eventually.ts'
import { rpcCall } from './json-rpc.ts'
import { createStakingReader } from './staking-reader.ts'

/** A validator listens for a whole epoch after each start, and attests only to finalized blocks. */
const ATTESTED_LIMIT_MS = 240_000

export async function assertHonestValidator({ l2, validator }: DevnetFacts): Promise<readonly number[]> {
  const staking = createStakingReader(l2.rpcUrl, l2.chainId)
  const slashed = await staking.eventsOf('Slashed')
  assert.deepEqual(
    slashed.map(({ args }) => `${args.validator}, offence ${args.offence} in epoch ${args.epoch}`),
    [],
    'slashed',
  )
  for (const node of [l2, validator]) {
    const offences = await rpcCall(node.rollupRpcUrl, 'rollup_offences', [])
    assert.deepEqual(
      offences,
      { doubleAttestations: [], invalidAttestations: [], doubleBlocks: [] },
      `offences in the gossip of ${node.rollupRpcUrl}`,
    )
  }
  const words = (await staking.eventsOf('Attested')).map(({ args }) => `${args.validator} ${args.epoch}`)
  assert.equal(new Set(words).size, words.length, `attested twice to one epoch: ${words.join(', ')}`)
  return words.map((word) => Number(word.split(' ')[1]))
}

export async function awaitAnotherAttestation(facts: DevnetFacts): Promise<number> {
  const last = Math.max(0, ...(await assertHonestValidator(facts)))
  return eventually(
    `an attestation after epoch ${last}`,
    async () => {
      const now = Math.max(0, ...(await assertHonestValidator(facts)))
      return now > last ? now : null
    },
    ATTESTED_LIMIT_MS,
  )
}
