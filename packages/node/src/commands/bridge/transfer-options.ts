import { type Address, hexToBytes, isHex, ZERO_ADDRESS } from '@keelson/primitives'
import { DEFAULT_DEVNET_FOLDER, option, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { optionalNetworkOption } from '../../networks/network-option.ts'

export const NATIVE_DECIMALS = 18

export const hexBytes = Object.assign(
  (value: unknown): Uint8Array => {
    if (isHex(value)) return hexToBytes(value)
    throw new parse.OptionValueError('expected bytes as 0x and pairs of hex digits')
  },
  {
    placeholder: '<hex>',
    schema: { type: 'string', pattern: '^0x([0-9a-fA-F]{2})*$' } as const,
    show: (bytes: Uint8Array) => `${bytes.length} bytes`,
  },
)

export const ZERO_RECIPIENT = 'the zero address belongs to nobody, and what is sent there is lost: give the address of the recipient'

export const recipient = Object.assign(
  (value: unknown): Address => {
    const address = parse.address(value)
    if (address !== ZERO_ADDRESS) return address
    throw new parse.OptionValueError(ZERO_RECIPIENT)
  },
  { placeholder: '<address>', schema: parse.address.schema },
)

export const amountText = Object.assign((value: unknown): string => parse.text(typeof value === 'number' ? String(value) : value), {
  placeholder: '<amount>',
  schema: { type: ['number', 'string'], minimum: 0 } as const,
})

export const chainOptions = {
  network: optionalNetworkOption('Name of a public network, or folder with rollup.json and addresses.json; wants --l1.rpc and --l2.rpc.'),
  devnet: option({
    key: 'bridge.devnet',
    flag: 'devnet',
    parse: parse.path,
    default: DEFAULT_DEVNET_FOLDER,
    description: 'Folder of a running development network, asked for everything that is not given otherwise; not with --network.',
  }),
  l1Rpc: optionalOption({
    key: 'l1.rpc',
    parse: parse.httpUrl,
    description: 'RPC of an L1 node. Default: that of the development network.',
  }),
  l2Rpc: optionalOption({
    key: 'l2.rpc',
    parse: parse.httpUrl,
    description: 'RPC of an L2 node. Default: that of the development network.',
  }),
  json: option({
    key: 'bridge.json',
    flag: 'json',
    parse: parse.toggle,
    default: false,
    description: 'Print one JSON document at the end and nothing else.',
  }),
} as const

export const waitOption = option({
  key: 'bridge.wait',
  flag: 'wait',
  parse: parse.toggle,
  default: true,
  description: 'Wait until the block on L2 that holds it is safe, and say each state.',
})

export const keyOptions = {
  privateKey: optionalOption({
    key: 'privateKey',
    parse: parse.privateKey,
    secret: true,
    description: 'Key of the account that sends and pays. Give it by environment: others can read a command line.',
  }),
  privateKeyFile: optionalOption({
    key: 'privateKeyFile',
    parse: parse.path,
    description: 'File that holds the key as hex, or a key file (EIP-2335, or version 3 as wallets write it), which wants --password-file.',
  }),
  passwordFile: optionalOption({ key: 'passwordFile', parse: parse.path, description: 'File with the password of the key file.' }),
} as const

export const amountOption = option({
  key: 'bridge.amount',
  flag: 'amount',
  parse: amountText,
  description: 'How much, in whole coins or tokens with a point: 0.5.',
})

export const timeoutOption = option({
  key: 'bridge.timeout',
  flag: 'timeout',
  parse: parse.duration(1000, 30 * 86_400_000),
  default: 30 * 60_000,
  description: 'How long to wait; the transfer continues without this command.',
})
