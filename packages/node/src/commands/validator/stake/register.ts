import { createHttpRpcClient } from '@keelson/client'
import { encodeRegister } from '@keelson/contracts'
import { type Address, type Bytes32, hexToBytes, isHex, toAddress } from '@keelson/primitives'
import {
  asCalled,
  createLogger,
  createSystemClock,
  createSystemRandom,
  type OptionValues,
  optionalOption,
  optionParsers as parse,
  Secret,
} from '@keelson/runtime'
import { type BareSigner, createGuardedSigner, createKeyFolder, createLocalValidatorSigner, readSecretFile } from '@keelson/validator'
import { defineCommand } from '../../../command.ts'
import { createNativeCrypto } from '../../../crypto/native-crypto.ts'
import { AssemblyError } from '../../../errors.ts'
import { readPassword } from '../password-input.ts'
import { validatorFolder } from '../validator-folder.ts'
import { createServiceSigner, signingServiceOptions } from '../validator-signers.ts'
import { amountWei, chosenKey, ownerCommandOptions, sendAsOwner, stakeLine } from './owner-command.ts'
import { amountOption, signingPasswordOption } from './staking-options.ts'

const NO_KEY = toAddress(`0x${'00'.repeat(20)}`)
const MAX_FILE_BYTES = 1024

export const registerCommand = defineCommand({
  name: 'validator register',
  summary: 'make a key a validator, and stake for it',
  usage: '(--data-dir FOLDER | --signer.endpoint URL --key ADDRESS) --amount COINS [--payout ADDRESS] [--block-key-file FILE] [options]',
  explanation: `The account that sends becomes the owner: it alone can add to the stake, ask it back and exit. The key in --data-dir,
or --key of a signing service, attests; it shows by a signature that it agrees. A block key is the one a sequencer signs its blocks with; without one the
validator never sequences. A key can be registered once.`,
  options: {
    ...ownerCommandOptions,
    ...signingServiceOptions,
    amount: amountOption,
    payout: optionalOption({
      key: 'validator.payout',
      flag: 'payout',
      parse: parse.address,
      description: 'Where rewards and stake go. Default: the owner.',
    }),
    blockKeyFile: optionalOption({
      key: 'validator.blockKeyFile',
      flag: 'block-key-file',
      parse: parse.path,
      description: "File (mode 600) with the key a sequencer signs blocks with, as hex: the consensus client's --p2p.signer-key.",
    }),
    passwordFile: signingPasswordOption,
  },
  async run(values) {
    const { blockKeyFile } = values
    if (values.signerEndpoint !== null && values.key === null) {
      throw new AssemblyError('node/usage', 'say which key of the signing service is registered: --key ADDRESS')
    }
    const key = await chosenKey(values)
    const signer = forRegistration(values.signerEndpoint === null ? await openLocal(key, values) : openService(key, values))
    const blockSigner = blockKeyFile === null ? null : forRegistration(localSigner(await readBlockKey(blockKeyFile)))
    return sendAsOwner(
      'register',
      values,
      async ({ staking, position, sender }) => {
        if (position.record !== null) {
          throw new AssemblyError(
            'node/refused',
            `key ${key} is registered already, by ${position.record.owner}: ${asCalled('validator stake')} adds to it; nothing was sent`,
          )
        }
        const registration = { owner: sender, payout: values.payout ?? sender, signingKey: key, blockKey: blockSigner?.address ?? NO_KEY }
        const request = { domain: { chainId: staking.chainId, contract: staking.chain.contract }, registration }
        const signingProof = await signer.signRegistration(request)
        const blockProof = blockSigner === null ? new Uint8Array(0) : await blockSigner.signRegistration(request)
        return { data: encodeRegister(registration, { signingProof, blockProof }), valueWei: amountWei(values.amount) }
      },
      (context, after) => [
        `validator ${key} is number ${after.record?.id}, owned by ${after.record?.owner}`,
        stakeLine(context, after),
        `run it, with the key of another account that pays its fees in KEELSON_PRIVATE_KEY: ${runCommand(key, values)}`,
      ],
    )
  },
})

export function runCommand(key: Address, { dataDir, passwordFile, signerEndpoint }: WhereTheKeyIs): string {
  const service = signerEndpoint === null ? '' : ` --signer.endpoint ${signerEndpoint} --signer.keys ${key}`
  const password = signerEndpoint === null ? ` --password-file ${passwordFile ?? 'FILE'}` : ''
  return `${asCalled('validator run')} --data-dir ${dataDir ?? 'FOLDER'}${password}${service} --l2.rpc URL --rollup.rpc URL`
}

interface WhereTheKeyIs extends OptionValues<typeof signingServiceOptions> {
  readonly dataDir: string | null
  readonly passwordFile: string | null
}

async function openLocal(key: Address, { dataDir, passwordFile }: WhereTheKeyIs): Promise<BareSigner> {
  if (dataDir === null) {
    throw new AssemblyError(
      'node/usage',
      `${key} has to sign: give the folder that holds it (--data-dir), or its service (--signer.endpoint)`,
    )
  }
  const password = await readPassword({ file: passwordFile, what: `password of ${key}`, isNew: false })
  return localSigner(await createKeyFolder(validatorFolder(dataDir).keys).open(key, password.reveal()))
}

function openService(key: Address, values: WhereTheKeyIs): BareSigner {
  const clock = createSystemClock()
  const log = createLogger({ clock, name: 'validator', level: 'error', format: 'auto' })
  const service = createHttpRpcClient({ url: values.signerEndpoint as string }, { clock, random: createSystemRandom(), log })
  return createServiceSigner(key, values, { service, crypto: createNativeCrypto(), clock })
}

function localSigner(secret: Secret<Uint8Array>): BareSigner {
  return createLocalValidatorSigner(secret as Secret<Bytes32>, createNativeCrypto())
}

function forRegistration(bare: BareSigner) {
  return createGuardedSigner(bare, {
    admitAttestation: async () => ({ verdict: 'refused', reason: 'unknown-key', message: 'this command signs no attestations' }),
  })
}

async function readBlockKey(path: string): Promise<Secret<Uint8Array>> {
  const text = (await readSecretFile(path, MAX_FILE_BYTES)).trim()
  const hex = text.startsWith('0x') ? text : `0x${text}`
  if (!isHex(hex, 32)) throw new AssemblyError('node/usage', `${path}: expected a key of 32 bytes as hex`)
  return new Secret(hexToBytes(hex))
}
