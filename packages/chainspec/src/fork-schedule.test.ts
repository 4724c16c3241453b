import assert from 'node:assert/strict'
import { bytesToHex, decodeTransaction, type InclusionTimeSec, keccak256Hash, l2Time, type OriginTimeSec } from '@keelson/primitives'
import fc from 'fast-check'
import { ChainspecError } from './errors.ts'
import { createForkSchedule, type ForkTimes, forkOrderMistakes, forksAtGenesis } from './fork-schedule.ts'
import { type Fork, forksUpTo, LINEAGES } from './rules.ts'

const rulesOf = (fork: Fork) => createForkSchedule({ times: forksAtGenesis(fork) }).blockRules(l2Time(1))
const inclusionOf = (fork: Fork) => createForkSchedule({ times: forksAtGenesis(fork) }).inclusionRules(1 as InclusionTimeSec)
const originOf = (fork: Fork) => createForkSchedule({ times: forksAtGenesis(fork) }).originRules(1 as OriginTimeSec)
const activatingAt1000 = (fork: Fork): ForkTimes => ({ ...forksAtGenesis(fork), [fork]: 1000 })
const bundle = { transactions: [Uint8Array.of(0x7e, 1)], gas: 77_000n }

describe('fork schedule', () => {
  it('is at each fork from its time on, and not a second before', () => {
    for (const lineage of Object.values(LINEAGES)) {
      const times = Object.fromEntries(lineage.slice(1).map((fork, i) => [fork, 1000 * (i + 1)]))
      const schedule = createForkSchedule({ times })
      lineage.forEach((fork, i) => {
        assert.equal(schedule.activationTimeSec(fork), 1000 * i)
        assert.equal(schedule.forkAt(l2Time(1000 * i)), fork)
        assert.equal(schedule.forkAt(l2Time(1000 * i + 999)), fork)
      })
    }
  })

  it('takes the last of forks that share a time', () => {
    const schedule = createForkSchedule({ times: { regolith: 0, canyon: 50, delta: 50, ecotone: 50 } })
    assert.equal(schedule.forkAt(l2Time(49)), 'regolith')
    assert.equal(schedule.forkAt(l2Time(50)), 'ecotone')
    assert.deepEqual(schedule.transition(l2Time(49), l2Time(51)).activates, ['canyon', 'delta', 'ecotone'])
  })

  it('lists the times that execution clients configure, without Delta, each once', () => {
    const schedule = createForkSchedule({ times: { regolith: 0, canyon: 50, delta: 60, ecotone: 70, fjord: 70 } })
    assert.deepEqual(schedule.executionForkTimesSec, [0, 50, 70])
  })

  it('knows nothing of forks that are not scheduled', () => {
    const schedule = createForkSchedule({ times: forksAtGenesis('fjord') })
    assert.equal(schedule.activationTimeSec('granite'), null)
    assert.equal(schedule.forkAt(l2Time(Number.MAX_SAFE_INTEGER)), 'fjord')
  })

  it('refuses times out of order and says every mistake', () => {
    const times = { regolith: 0, canyon: 10, delta: 5, fjord: 20 }
    assert.deepEqual(forkOrderMistakes(times, 0), [
      'fork delta is set to 5, before canyon at 10',
      'fork fjord is set to 20, but the fork before it, ecotone, is not scheduled',
    ])
    assert.throws(
      () => createForkSchedule({ times }),
      (error) => error instanceof ChainspecError && error.code === 'chainspec/fork-schedule' && error.mistakes.length === 2,
    )
  })

  it('refuses forks of two lineages, and a fork of one before the forks all chains have', () => {
    const jovian = forksAtGenesis('jovian')
    assert.deepEqual(forkOrderMistakes({ ...jovian, karst: 10, azul: 20 }, 0), [
      'forks karst (at 10, lineage op) and azul (at 20, lineage base) exclude each other: after jovian a chain follows one lineage',
    ])
    assert.deepEqual(forkOrderMistakes({ ...jovian, jovian: 30, azul: 20 }, 0), ['fork azul is set to 20, before jovian at 30'])
    assert.deepEqual(forkOrderMistakes({ ...forksAtGenesis('isthmus'), azul: 20 }, 0), [
      'fork azul is set to 20, but the fork before it, jovian, is not scheduled',
    ])
    assert.deepEqual(forkOrderMistakes({ ...jovian, azul: 20, karst: null }, 0), [])
  })

  // specs: superchain-upgrades.md, "At most one network upgrade per activation timestamp"; optimism pull request 22838.
  for (const [name, later, genesisSec, refused] of [
    ['forks before Jovian, as Soneium Minato has them', { fjord: 50, granite: 50 }, 10, null],
    ['Isthmus and Jovian', { isthmus: 50, jovian: 50 }, 10, ['isthmus', 'jovian']],
    ['Jovian and Karst', { jovian: 50, karst: 50 }, 10, ['jovian', 'karst']],
    ['Karst and Lagoon', { karst: 50, lagoon: 50 }, 10, ['karst', 'lagoon']],
    ['Karst and Lagoon in the first block', { karst: 50, lagoon: 50 }, 50, null],
    ['Karst and Lagoon before the first block', { karst: 50, lagoon: 50 }, 60, null],
    ['Karst and Lagoon a second apart', { karst: 50, lagoon: 51 }, 10, null],
    ['Jovian and the fork of another lineage', { jovian: 50, azul: 50 }, 10, null],
  ] as const) {
    it(`${refused === null ? 'accepts' : 'refuses'} one time: ${name}`, () => {
      const [first, last] = Object.keys(later) as [Fork, Fork]
      const before = forksUpTo(first).at(-2) as Fork
      const times: ForkTimes = { ...forksAtGenesis(before), ...later }
      const expected = refused === null ? [] : [/^forks (\w+) and (\w+) are both set to 50; from Jovian on/]
      const mistakes = forkOrderMistakes(times, genesisSec)
      assert.equal(mistakes.length, expected.length, last)
      for (const message of expected) assert.deepEqual(message.exec(mistakes[0] as string)?.slice(1), refused)
    })
  }

  it('knows the lineage of its chain', () => {
    assert.equal(createForkSchedule({ times: forksAtGenesis('azul') }).lineage.at(-1), 'azul')
    assert.equal(createForkSchedule({ times: forksAtGenesis('karst') }).lineage.at(-1), 'lagoon')
    assert.equal(createForkSchedule({ times: forksAtGenesis('jovian') }).lineage.at(-1), 'lagoon')
  })

  it('gives frozen rules, the same object each time', () => {
    const schedule = createForkSchedule({ times: forksAtGenesis('jovian') })
    assert.ok(Object.isFrozen(schedule.blockRules(l2Time(5))))
    assert.equal(schedule.blockRules(l2Time(5)), schedule.blockRules(l2Time(7)))
    assert.equal(schedule.transition(l2Time(5), l2Time(7)), schedule.transition(l2Time(7), l2Time(9)))
  })

  it('never goes back: rules by a later time belong to the same or a later fork', () => {
    const times = fc.array(fc.nat(10_000), { minLength: 10, maxLength: 10 }).map((list) => list.sort((a, b) => a - b))
    fc.assert(
      fc.property(times, fc.nat(11_000), fc.nat(11_000), (list, a, b) => {
        const schedule = createForkSchedule({ times: Object.fromEntries(LINEAGES.op.slice(1).map((fork, i) => [fork, list[i]])) })
        const [early, late] = a < b ? [a, b] : [b, a]
        assert.ok(forksUpTo(schedule.forkAt(l2Time(late))).includes(schedule.forkAt(l2Time(early))))
      }),
    )
  })
})

describe('what each fork changes', () => {
  it('follows the specifications for blocks', () => {
    assert.deepEqual([rulesOf('bedrock').l1Cost, rulesOf('bedrock').depositReceiptNonce], ['calldata-and-signature', false])
    assert.deepEqual([rulesOf('regolith').l1Cost, rulesOf('regolith').depositGasMetered], ['calldata', true])
    assert.deepEqual([rulesOf('canyon').ethFork, rulesOf('canyon').withdrawals], ['shanghai', 'empty'])
    assert.equal(rulesOf('canyon').depositReceiptVersion, true)
    assert.deepEqual(
      [rulesOf('ecotone').ethFork, rulesOf('ecotone').blobTransactions, rulesOf('ecotone').blobFields],
      ['cancun', false, true],
    )
    assert.deepEqual([rulesOf('fjord').p256VerifyGas, rulesOf('granite').precompileInputLimits.bn256Pairing], [3450n, 112_687])
    assert.deepEqual([rulesOf('holocene').eip1559Source, rulesOf('holocene').extraDataVersion], ['header', 0])
    assert.deepEqual(rulesOf('isthmus').precompileInputLimits, {
      bn256Pairing: 112_687,
      blsG1Msm: 513_760,
      blsG2Msm: 488_448,
      blsPairing: 235_008,
    })
    assert.deepEqual([rulesOf('isthmus').withdrawals, rulesOf('isthmus').requests], ['storage-root', 'empty'])
    assert.deepEqual(rulesOf('jovian').precompileInputLimits, {
      bn256Pairing: 81_984,
      blsG1Msm: 288_960,
      blsG2Msm: 278_784,
      blsPairing: 156_672,
    })
    assert.deepEqual([rulesOf('jovian').extraDataVersion, rulesOf('jovian').minBaseFee, rulesOf('jovian').daFootprint], [1, true, true])
    assert.deepEqual([rulesOf('karst').ethFork, rulesOf('karst').maxTransactionGas], ['osaka', 16_777_216n])
    assert.deepEqual([rulesOf('karst').p256VerifyGas, rulesOf('karst').precompileInputLimits.bn256Pairing], [6900n, 57_600])
  })

  it('follows Base for Azul: Osaka with the input limits of Jovian', () => {
    // docs.base.org/base-chain/specs/upgrades/azul/exec-engine; limits: base/base crates/common/precompiles/src/provider.rs
    const { ethFork, maxTransactionGas, p256VerifyGas, precompileInputLimits } = rulesOf('azul')
    assert.deepEqual([ethFork, maxTransactionGas, p256VerifyGas], ['osaka', 16_777_216n, 6900n])
    assert.deepEqual(precompileInputLimits, rulesOf('jovian').precompileInputLimits)
  })

  it('follows the specifications for reading L1', () => {
    assert.deepEqual([inclusionOf('bedrock').maxChannelBankBytes, inclusionOf('fjord').maxChannelBankBytes], [100_000_000, 1_000_000_000])
    assert.deepEqual([inclusionOf('ecotone').maxRlpBytesPerChannel, inclusionOf('fjord').maxRlpBytesPerChannel], [10_000_000, 100_000_000])
    assert.deepEqual([inclusionOf('fjord').channelTimeoutL1Blocks, inclusionOf('granite').channelTimeoutL1Blocks], [300, 50])
    assert.deepEqual([inclusionOf('delta').blobs, inclusionOf('ecotone').blobs], [false, true])
    assert.deepEqual([inclusionOf('ecotone').brotliChannels, inclusionOf('fjord').brotliChannels], [false, true])
    assert.deepEqual([inclusionOf('regolith').readsFirstReadyChannel, inclusionOf('canyon').readsFirstReadyChannel], [false, true])
    assert.deepEqual([inclusionOf('granite').strictOrdering, inclusionOf('holocene').strictOrdering], [false, true])
    assert.deepEqual([originOf('canyon').spanBatches, originOf('delta').spanBatches], [false, true])
    assert.deepEqual([originOf('ecotone').maxSequencerDriftSec, originOf('fjord').maxSequencerDriftSec], [null, 1800])
  })

  it('takes the chain own constants where a fork says so', () => {
    const constants = {
      channelTimeoutL1Blocks: 120,
      baseFee: { elasticity: 10n, denominator: 40n },
      baseFeeCanyon: { elasticity: 10n, denominator: 200n },
    }
    const schedule = createForkSchedule({
      times: { regolith: 0, canyon: 100, delta: 100, ecotone: 100, fjord: 100, granite: 200 },
      constants,
    })
    assert.deepEqual(schedule.blockRules(l2Time(99)).baseFeeConstants, constants.baseFee)
    assert.deepEqual(schedule.blockRules(l2Time(100)).baseFeeConstants, constants.baseFeeCanyon)
    assert.equal(schedule.inclusionRules(199 as InclusionTimeSec).channelTimeoutL1Blocks, 120)
    assert.equal(schedule.inclusionRules(200 as InclusionTimeSec).channelTimeoutL1Blocks, 50)
  })
})

describe('transitions', () => {
  const transition = (fork: Fork, options = {}) =>
    createForkSchedule({ times: activatingAt1000(fork), ...options }).transition(l2Time(998), l2Time(1000))

  it('has none for genesis, nor for forks that were there from the first block', () => {
    const schedule = createForkSchedule({ times: { ...forksAtGenesis('isthmus'), isthmus: 1000 } })
    const genesis = schedule.transition(null, l2Time(1000))
    assert.deepEqual([genesis.activates, genesis.upgradeTransactions, genesis.l1InfoFormat], [[], [], 'isthmus'])
    assert.deepEqual(schedule.transition(l2Time(1000), l2Time(1002)).activates, [])
  })

  it('happens once, in the first block that reaches the time', () => {
    const schedule = createForkSchedule({ times: activatingAt1000('fjord') })
    assert.deepEqual(schedule.transition(l2Time(996), l2Time(998)).activates, [])
    assert.deepEqual(schedule.transition(l2Time(999), l2Time(1001)).activates, ['fjord'])
    assert.deepEqual(schedule.transition(l2Time(1001), l2Time(1003)).activates, [])
  })

  it('keeps the old form of L1 info for that one block', () => {
    assert.equal(transition('ecotone').l1InfoFormat, 'bedrock')
    assert.equal(transition('isthmus').l1InfoFormat, 'ecotone')
    assert.equal(transition('jovian').l1InfoFormat, 'isthmus')
  })

  it('brings as many upgrade transactions as the specification lists, all deposits', () => {
    const counts = { canyon: 0, ecotone: 6, fjord: 3, granite: 0, isthmus: 8, jovian: 5, azul: 0 } as const
    for (const [fork, count] of Object.entries(counts)) {
      const { upgradeTransactions } = transition(fork as Fork)
      assert.equal(upgradeTransactions.length, count, fork)
      for (const raw of upgradeTransactions) assert.equal(decodeTransaction(raw).type, 0x7e)
    }
  })

  it('has the Jovian deposits as the specification gives them', () => {
    // protocol/jovian/derivation.md#network-upgrade-transactions
    const expected = [
      ['0x4210000000000000000000000000000000000006', null, 447_315n, null],
      [
        `0x${'00'.repeat(20)}`,
        '0x4200000000000000000000000000000000000015',
        50_000n,
        '0x3659cfe60000000000000000000000003ba4007f5c922fbb33c454b41ea7a1f11e83df2c',
      ],
      ['0x4210000000000000000000000000000000000007', null, 1_750_714n, null],
      [
        `0x${'00'.repeat(20)}`,
        '0x420000000000000000000000000000000000000f',
        50_000n,
        '0x3659cfe60000000000000000000000004f1db3c6abd250ba86e0928471a8f7db3afd88f1',
      ],
      ['0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001', '0x420000000000000000000000000000000000000f', 90_000n, '0xb3d72079'],
    ] as const
    transition('jovian').upgradeTransactions.forEach((raw, i) => {
      const tx = decodeTransaction(raw)
      assert.ok(tx.type === 0x7e)
      const [from, to, gasLimit, data] = expected[i] as (typeof expected)[number]
      assert.deepEqual([bytesToHex(tx.from), tx.to === null ? null : bytesToHex(tx.to), tx.gasLimit], [from, to, gasLimit])
      assert.deepEqual([tx.mintWei, tx.valueWei, tx.isSystemTx], [0n, 0n, false])
      if (data !== null) assert.equal(bytesToHex(tx.data), data)
    })
  })

  it('places the code of create2Deployer with Canyon', () => {
    const [placed, ...others] = transition('canyon').irregularCode
    assert.equal(others.length, 0)
    assert.equal(placed?.address, '0x13b0d85ccb8bf860b6b79af3029fca081ae9bef2')
    assert.equal(keccak256Hash(placed?.code ?? new Uint8Array()), '0xb0550b5b431e30d38000efb7107aaa0ade03d48a7198a140edda9d27134468b2')
  })

  // op-geth: consensus/misc, `EnsureCreate2Deployer`
  it('places the code of create2Deployer only in a block at the very time of Canyon', () => {
    const schedule = createForkSchedule({ times: activatingAt1000('canyon') })
    const placedIn = (parent: number, block: number) => schedule.transition(l2Time(parent), l2Time(block)).irregularCode.length
    assert.deepEqual([placedIn(998, 1000), placedIn(999, 1001), placedIn(1000, 1002), placedIn(998, 1001)], [1, 0, 0, 0])
    assert.deepEqual(schedule.transition(l2Time(999), l2Time(1001)).activates, ['canyon'])
  })

  it('forbids user transactions in the activation blocks of Jovian and Karst, not in that of Azul', () => {
    assert.deepEqual([transition('isthmus').userTransactionsAllowed, transition('jovian').userTransactionsAllowed], [true, false])
    // base/base 98a8db8d crates/consensus/protocol/src/batch/single.rs
    assert.equal(transition('azul').userTransactionsAllowed, true)
  })

  it('takes the upgrade transactions of Karst and their gas from its bundle, or from the one a private network gives', () => {
    const official = transition('karst')
    // kona: crates/protocol/hardforks/src/karst.rs
    assert.deepEqual([official.upgradeTransactions.length, official.upgradeGas], [31, 55_370_657n])
    const given = transition('karst', { upgradeBundles: { karst: bundle } })
    assert.deepEqual([given.upgradeTransactions, given.upgradeGas], [bundle.transactions, bundle.gas])
    const kept = transition('karst', { keepKarstUpgradeGas: true })
    assert.deepEqual([official.keptUpgradeGas, kept.keptUpgradeGas], [0n, 55_370_657n])
    assert.equal(transition('jovian').upgradeGas, 0n)
  })
})
