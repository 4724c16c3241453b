import type { RpcClient } from '@keelson/client'
import type { Address, Clock, Crypto } from '@keelson/primitives'
import { asCalled, type OptionValues, option, optionalOption, optionParsers as parse } from '@keelson/runtime'
import {
  type BareSigner,
  createGuardedSigner,
  createKeyFolder,
  createLocalValidatorSigner,
  createRemoteValidatorSigner,
  openValidatorProtection,
  type SlashingProtection,
  type ValidatorSigner,
} from '@keelson/validator'
import { AssemblyError } from '../../errors.ts'
import type { Role } from '../../role/role.ts'
import { passwordOption, readPassword } from './password-input.ts'
import { machineFolderOption, validatorFolder, validatorFolderOptions } from './validator-folder.ts'

export const signingServiceOptions = {
  signerEndpoint: optionalOption({
    key: 'validator.signer.endpoint',
    flag: 'signer.endpoint',
    parse: parse.httpUrl,
    description: 'Signing service (Web3Signer, or another with eth_signTypedData) that holds keys.',
  }),
  signerForm: option<'text' | 'object'>({
    key: 'validator.signer.form',
    flag: 'signer.form',
    parse: parse.oneOf('text', 'object'),
    default: 'text',
    description: 'How typed data is handed to the service: as JSON in a text (Web3Signer, wallets) or as an object (development nodes).',
  }),
  signerTimeoutMs: option({
    key: 'validator.signer.timeoutMs',
    flag: 'signer.timeout-ms',
    parse: parse.integer(100, 60_000),
    default: 5_000,
    description: 'Milliseconds after which the service counts as one that does not sign.',
  }),
} as const

export const validatorSignerOptions = {
  ...validatorFolderOptions,
  machineDir: machineFolderOption,
  passwordFile: passwordOption,
  keys: optionalOption({
    key: 'validator.keys',
    flag: 'keys',
    parse: parse.list(parse.address),
    description: 'Keys of the folder to use; all without.',
  }),
  ...signingServiceOptions,
  signerKeys: option({
    key: 'validator.signer.keys',
    flag: 'signer.keys',
    parse: parse.list(parse.address),
    default: [],
    description: 'Keys that the signing service signs with.',
  }),
} as const

export interface ValidatorSigners {
  readonly signers: readonly ValidatorSigner[]
  readonly protection: SlashingProtection
}

/** Locks and decrypts the keys. Throws AssemblyError `node/usage` and the ValidatorErrors of keys and protection. */
export async function openValidatorSigners(
  values: OptionValues<typeof validatorSignerOptions>,
  role: Pick<Role, 'clock' | 'crypto' | 'rpc'>,
): Promise<ValidatorSigners> {
  const folder = validatorFolder(values.dataDir)
  const keys = createKeyFolder(folder.keys)
  const remote = remoteSigners(values, role)
  const stored = values.keys ?? (await keys.list()).map(({ address }) => address)
  const local = stored.filter((address) => !values.signerKeys.includes(address))
  const all = [...local, ...values.signerKeys]
  if (all.length === 0) {
    throw new AssemblyError(
      'node/usage',
      `there is no key in ${folder.keys}: make one (${asCalled('validator keys new')}), or give --signer.endpoint`,
    )
  }
  const bare: BareSigner[] = [...remote]
  if (local.length > 0) {
    const password = await readPassword({ file: values.passwordFile, what: 'password of the keys', isNew: false })
    // Sequential, because key derivation needs much memory.
    for (const address of local) bare.push(createLocalValidatorSigner(await keys.open(address, password.reveal()), role.crypto))
  }
  const { clock } = role
  const protection = await openValidatorProtection({
    directory: folder.protection,
    machineDirectory: values.machineDir,
    keys: bare.map(({ address }) => address),
    clock,
  })
  return { protection, signers: bare.map((signer) => createGuardedSigner(signer, protection)) }
}

function remoteSigners(
  values: OptionValues<typeof validatorSignerOptions>,
  { clock, crypto, rpc }: Pick<Role, 'clock' | 'crypto' | 'rpc'>,
) {
  const { signerEndpoint, signerKeys } = values
  if ((signerEndpoint === null) !== (signerKeys.length === 0)) {
    throw new AssemblyError('node/usage', 'a signing service needs --signer.endpoint and --signer.keys, both')
  }
  if (signerEndpoint === null) return []
  const service = rpc(signerEndpoint)
  return [...new Set<Address>(signerKeys)].map((address) => createServiceSigner(address, values, { service, crypto, clock }))
}

export function createServiceSigner(
  address: Address,
  { signerForm: form, signerTimeoutMs: timeoutMs }: Pick<OptionValues<typeof signingServiceOptions>, 'signerForm' | 'signerTimeoutMs'>,
  { service, crypto, clock }: { readonly service: RpcClient; readonly crypto: Crypto; readonly clock: Pick<Clock, 'sleep'> },
): BareSigner {
  return createRemoteValidatorSigner(
    { address, host: service.host, timeoutMs, form },
    { call: (method, params, { signal }) => service.call(method, params, { signal, timeoutMs, retry: false }), crypto, clock },
  )
}
