import { createChainReader, formatAmount } from '@keelson/apps/bridge'
import { createContractReader, createHttpRpcClient } from '@keelson/client'
import { OWN_CONTRACTS } from '@keelson/contracts'
import { openContractFiles, type StakingParameters, stakingPeriodMistakes } from '@keelson/devnet/genesis'
import { type Address, toAddress, toHash } from '@keelson/primitives'
import { createLogger, createSystemClock, createSystemRandom, type OptionValues, option, optionParsers as parse } from '@keelson/runtime'
import { defineCommand } from '../../../command.ts'
import { createNativeCrypto } from '../../../crypto/native-crypto.ts'
import { AssemblyError } from '../../../errors.ts'
import { isPublicKey } from '../../../make-network/judge-inputs.ts'
import { assertCanHold, planStaking, stakingMistakes } from '../../../make-network/plan-staking.ts'
import { PRESETS, type Preset, presetStaking } from '../../../make-network/presets.ts'
import { readChainId } from '../../../make-network/read-l1.ts'
import { blockTimeOption } from '../../../networks/block-time-option.ts'
import { createAccountSender } from '../../bridge/account-sender.ts'
import { feeLimitsOf, feeOptions } from '../../bridge/fee-options.ts'
import { readKey } from '../../bridge/key-file.ts'
import { keyOptions } from '../../bridge/transfer-options.ts'
import { sayIfInterrupted } from '../../interrupt-notice.ts'
import { jsonOption, printResult } from '../validator-folder.ts'

const options = {
  preset: option<Preset>({
    key: 'network.preset',
    flag: 'preset',
    parse: parse.oneOf(...PRESETS),
    description: 'Parameters: devnet (short periods), test (minimum stake 1,000) or main (10,000; real hours and days both).',
  }),
  l2Rpc: option({ key: 'l2.rpc', parse: parse.httpUrl, description: 'RPC of an execution client of the chain.' }),
  blockTime: blockTimeOption,
  salt: option({
    key: 'staking.salt',
    flag: 'salt',
    parse: parse.hash,
    default: toHash(`0x${'00'.repeat(32)}`),
    description: 'Another salt gives a separate contract with the same parameters.',
  }),
  ...feeOptions,
  ...keyOptions,
  json: jsonOption,
} as const

type Values = OptionValues<typeof options>

export const deployCommand = defineCommand({
  name: 'validator deploy',
  summary: 'deploy the Staking contract on a chain that lacks it',
  usage: '--preset devnet|test|main --l2.rpc URL [options]',
  explanation: `Any account can deploy the contract, and the deployer does not own it. The address follows from the parameters, so a second run
finds the same contract. Networks made by keelson network create, and the development network, have it from the first block.`,
  options,
  async run(values) {
    const staking = presetStaking(values.preset, values.blockTime)
    const [mistake] = stakingPeriodMistakes(staking)
    if (mistake !== undefined) throw new AssemblyError('node/usage', `--block-time ${values.blockTime}: ${mistake[0]}: ${mistake[1]}`)
    const { address, sent, sender, chainId } = await deploy(values, staking)
    const coins = formatAmount(staking.minimumStakeWei, 18)
    printResult(
      values.json,
      {
        command: 'deploy',
        staking: address,
        chainId: Number(chainId),
        preset: values.preset,
        from: sender,
        transactionHash: sent,
        minimumStakeWei: String(staking.minimumStakeWei),
      },
      [
        `${sent === null ? 'found' : 'deployed'} Staking at ${address} on chain ${chainId}: at least ${coins} coins, a day is ${staking.dayBlocks} blocks`,
        `every consensus client:  npx keelson consensus ... --staking.contract ${address}`,
        `a validator:             npx keelson validator register --staking ${address} --l2.rpc URL --amount ${coins} ...`,
      ],
    )
    return 0
  },
})

interface Deployed {
  readonly address: Address
  readonly sent: string | null
  readonly sender: Address
  readonly chainId: bigint
}

async function deploy(values: Values, staking: StakingParameters): Promise<Deployed> {
  const key = await readKey(values, (line) => console.error(line))
  const sender = toAddress(createNativeCrypto().addressOf(key.reveal()))
  if (values.preset !== 'devnet' && isPublicKey(sender)) {
    throw new AssemblyError(
      'node/usage',
      `account ${sender} uses a published key of the development network; expected your own account; nothing was sent`,
    )
  }
  const clock = createSystemClock()
  const log = createLogger({ clock, name: 'validator', level: 'error', format: 'auto' })
  const rpc = createHttpRpcClient({ url: values.l2Rpc, retry: { attempts: 3 } }, { clock, random: createSystemRandom(), log })
  const reader = createContractReader(rpc)
  const chainId = await readChainId(rpc)
  await assertCanHold(reader, rpc.host)
  if ((await reader.code(OWN_CONTRACTS.Staking)).length > 0)
    console.error(
      `keelson: warning: chain ${chainId} has a Staking contract at ${OWN_CONTRACTS.Staking}: stake in one does not count in the other`,
    )
  const plan = planStaking(openContractFiles(), staking, values.salt)
  const isThere = (await reader.code(plan.address)).length > 0
  const sent = isThere ? null : await send(values, { ...plan, chainId, key, clock, log, reader: createChainReader(rpc) })
  const mistakes = await stakingMistakes(reader, plan.address, staking)
  if (mistakes.length > 0) throw new AssemblyError('node/refused', `the contract was not made as planned: ${mistakes.join('; ')}`)
  return { address: plan.address, sent, sender, chainId }
}

type Sending = ReturnType<typeof planStaking> &
  Pick<Parameters<typeof createAccountSender>[0], 'chainId' | 'key' | 'clock' | 'log'> & {
    readonly reader: ReturnType<typeof createChainReader>
  }

async function send(values: Values, { to, data, chainId, key, clock, log, reader }: Sending): Promise<string> {
  const account = createAccountSender({
    chainName: 'L2',
    chain: reader,
    chainId,
    key,
    clock,
    log,
    fees: feeLimitsOf(values),
    onSent(_purpose, hash) {
      console.error(`sent ${hash}`)
      sayIfInterrupted(
        `the transaction ${hash} was sent to L2 and continues without this command; the same command finds the contract that it makes`,
      )
    },
  })
  const { succeeded, transactionHash, block } = await account.send({ purpose: 'deploy', to, data, valueWei: 0n })
  if (succeeded) return transactionHash
  throw new AssemblyError('node/refused', `${transactionHash} is in block ${block.number} and failed there: no contract was made`)
}
