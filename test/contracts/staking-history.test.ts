import assert from 'node:assert/strict'
import { type Address, concatHex, type Hex, keccak256 } from 'viem'
import { CONTRACT_CHAINS, type ContractChain } from '../support/contract-chain.ts'
import { BLOCK_HASHES, deployStaking, type StakingWorld, slashes, validatorKey } from '../support/staking-contract.ts'

const [OWNER, STRANGER] = [1, 3] as const
const INVALID_ATTESTATION = 2
const STAKE = 1_000_000n
const A = validatorKey(1)
/** Runtime code of the EIP-2935 contract. */
const HISTORY_CODE: Hex =
  '0x3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff81430311604257611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500'
const HISTORY_CODE_HASH = '0x6e49e66782037c0555897870e29fa5e552daf4719552131a0abce779daec0a5d'

describe('the contract Staking with real block hashes', () => {
  let chain: ContractChain
  let world: StakingWorld
  before(async () => {
    assert.equal(keccak256(HISTORY_CODE), HISTORY_CODE_HASH)
    const own = CONTRACT_CHAINS.find(({ name }) => name === 'keelson')
    chain = (await own?.open([{ address: BLOCK_HASHES, code: HISTORY_CODE }])) as ContractChain
  })
  after(() => chain.stop())
  beforeEach(async () => {
    world = await deployStaking(chain)
    await world.register(OWNER, A, STAKE)
    await world.approachEpoch(world.epoch() + 1)
  })
  const hashOf = async (number: number) => (await chain.reader.getBlock({ blockNumber: BigInt(number) })).hash as Hex

  it('accepts the correct hash of any block from genesis to the one before the epoch, and no other hash', async () => {
    const epoch = world.epoch()
    for (const number of [epoch * 10 - 1, 0]) {
      const word = (checkpointHash: Hex) => world.sign(A, world.epoch(), { checkpointNumber: BigInt(number), checkpointHash })
      const right = await hashOf(number)
      const wrong = await hashOf(number === 0 ? 1 : number - 1)
      assert.equal((await world.attest(await word(wrong))).reverted, `WrongCheckpoint(${number},${wrong},${right})`)
      const { attestation, signature } = await word(right)
      assert.equal(
        (await world.send(STRANGER, 'reportInvalidAttestation', [attestation, signature])).reverted,
        `CheckpointIsRight(${number})`,
      )
      assert.equal((await world.attest(await word(right))).reverted, null)
      await world.approachEpoch(world.epoch() + 1)
    }
  })

  it('slashes for the hash of a different block', async () => {
    const epoch = world.epoch()
    const { attestation, signature } = await world.sign(A, epoch, { checkpointHash: await hashOf(1) })
    const outcome = await world.send(STRANGER, 'reportInvalidAttestation', [attestation, signature])
    assert.deepEqual(slashes(world, outcome), [[INVALID_ATTESTATION, 100_000n]])
  })

  it('does not accept a future block as evidence', async () => {
    const next = BigInt(chain.height() + 1)
    const { attestation, signature } = await world.sign(A, world.epoch(), { checkpointNumber: next })
    const early = await world.send(STRANGER, 'reportInvalidAttestation', [attestation, signature])
    assert.equal(early.reverted, `CheckpointNotServed(${next})`)
  })

  it('ignores wei that arrived without a call', async () => {
    const accounts = await world.read('accounts')
    await chain.deploy({ abi: [], bytecode: concatHex(['0x73', world.address as Address, '0xff']) }, [], 77n)
    assert.deepEqual(await world.read('accounts'), accounts)
    assert.equal(await chain.reader.getBalance({ address: world.address }), STAKE + 77n)
    assert.equal((await world.send(OWNER, 'exit', [A.address])).reverted, null)
    await chain.mine(80)
    assert.equal((await world.send(OWNER, 'withdraw', [A.address])).reverted, null)
    assert.equal(await chain.reader.getBalance({ address: world.address }), 77n)
  })
})
