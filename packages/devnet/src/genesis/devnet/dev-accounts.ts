/**
 * Published keys: never send value to these accounts on another chain. The ten accounts come from anvil's mnemonic "test test
 * test test test test test test test test test junk"; a role's key is keccak256("keelson devnet <role>").
 */
import { type Address, type Hash, toAddress, toHash } from '@keelson/primitives'

export interface DevAccount {
  readonly address: Address
  readonly privateKey: Hash
}

const account = (address: string, privateKey: string): DevAccount => ({ address: toAddress(address), privateKey: toHash(privateKey) })

export const DEV_ACCOUNTS: readonly DevAccount[] = [
  account('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'),
  account('0x70997970c51812dc3a010c7d01b50e0d17dc79c8', '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'),
  account('0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a'),
  account('0x90f79bf6eb2c4f870365e785982e1f101e93b906', '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6'),
  account('0x15d34aaf54267db7d7c367839aaf71a00a2c6a65', '0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a'),
  account('0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc', '0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba'),
  account('0x976ea74026e726554db657fa54763abd0c3a0aa9', '0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e'),
  account('0x14dc79964da2c08b23698b3d3cc7ca32193d9955', '0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356'),
  account('0x23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f', '0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97'),
  account('0xa0ee7a142d267c1f36714e4a8f75612f20a79720', '0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6'),
]

export const DEV_ROLES = {
  admin: account('0x3597f52aa747d6388990eee38f4483c1eacdb6b4', '0xf7d4fd061e818ead353e8347011997215003de33e8bd39d29a5beb424a739922'),
  batcher: account('0x52a92cb893d6cc515f1c412f82e9cad2a5af3b95', '0xad10e6005512983b8edfe0a19e2ecb0d62803180bd4fe875b7398c9ece0ac251'),
  proposer: account('0xa32ee21bfc44a8a12b2cfbd1e4cf9b974cebb083', '0x0e8603ddeaec6db402fba9c335e671f99f6743059937ed96521e5b03cecfc9e2'),
  sequencer: account('0xa2a0b4897bd467d37ad8023a81dddddce8a91666', '0xacf5f0cecd1dcf61dc828e2fe7d98658382e67d3d367602fa6c2b03feca76374'),
  faucet: account('0x3653d43fcb9493436a50aed153b744bc00a80d82', '0x18d4ac73866d4f06d96cd5977a6e1f3e1c0f05febd0778f063a5a289b2971543'),
  /** Owns the validator and its stake; attestations use another key. */
  validator: account('0x50d710145808620daafe93bb424080b0d1a0829c', '0x680bc11161f892dd0cb93a2bab90497f7d2ff0b679c1ea954eefaa7804a283b4'),
} as const
export type DevRole = keyof typeof DEV_ROLES

/** Node key for containers: keccak256("keelson devnet sequencer node"). */
export const DEV_SEQUENCER_NODE_KEY: Hash = toHash('0x23b6204ef4ae5cfdacd66db68018f0a68a4c69bae85fe74540152dda34d3d16e')
