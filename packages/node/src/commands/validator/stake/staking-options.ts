import { OWN_CONTRACTS } from '@keelson/contracts'
import { devnetClockOptions } from '@keelson/devnet'
import { option, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { amountText } from '../../bridge/transfer-options.ts'
import { passwordOption } from '../password-input.ts'
import { jsonOption } from '../validator-folder.ts'

export const stakingOption = option({
  key: 'staking',
  parse: parse.address,
  default: OWN_CONTRACTS.Staking,
  description: 'Address of the Staking contract.',
})

export const chainOptions = {
  l2Rpc: optionalOption({
    key: 'l2.rpc',
    parse: parse.httpUrl,
    description: 'RPC of an execution client of L2. Default: that of the development network.',
  }),
  ...devnetClockOptions,
  staking: stakingOption,
  json: jsonOption,
} as const

export const validatorKeyOption = optionalOption({
  key: 'validator.key',
  flag: 'key',
  parse: parse.address,
  description: "Address of the validator's signing key. Default: the only key in --data-dir.",
})

export const keyFolderOption = optionalOption({
  key: 'dataDir',
  parse: parse.path,
  description: 'Folder of the validator with its keys.',
})

export const ownerOptions = {
  privateKey: optionalOption({
    key: 'privateKey',
    parse: parse.privateKey,
    secret: true,
    description: 'Key of the account that owns the validator and pays. Give it by environment: others can read a command line.',
  }),
  privateKeyFile: optionalOption({
    key: 'privateKeyFile',
    parse: parse.path,
    description:
      'File that holds that key as hex, or a key file (EIP-2335, or version 3 as wallets write it), which wants --owner-password-file.',
  }),
  ownerPasswordFile: optionalOption({
    key: 'ownerPasswordFile',
    flag: 'owner-password-file',
    parse: parse.path,
    description: "File with the password of the owner's key file.",
  }),
} as const

export const amountOption = option({
  key: 'validator.amount',
  flag: 'amount',
  parse: amountText,
  description: 'How much, in whole coins with a point: 1000.5.',
})

export const signingPasswordOption = passwordOption
