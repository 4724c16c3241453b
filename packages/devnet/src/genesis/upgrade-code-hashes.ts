import { type Address, type Hash, toAddress, toHash } from '@keelson/primitives'

const STATED: readonly (readonly [deployer: string, codeHash: string])[] = [
  // specs: protocol/isthmus/derivation.md. L1Block, GasPriceOracle, OperatorFeeVault, EIP-2935 contract.
  ['0x4210000000000000000000000000000000000003', '0x8e3fe7a416d3e5f3b7be74ddd4e7e58e516fa3f80b67c6d930e3cd7297da4a4b'],
  ['0x4210000000000000000000000000000000000004', '0x4d195a9d7caf9fb6d4beaf80de252c626c853afd5868c4f4f8d19c9d301c2679'],
  ['0x4210000000000000000000000000000000000005', '0x57dc55c9c09ca456fa728f253fe7b895d3e6aae0706104935fe87c7721001971'],
  ['0x3462413af4609098e1e27a490f554f260213d685', '0x6e49e66782037c0555897870e29fa5e552daf4719552131a0abce779daec0a5d'],
  // L1Block and GasPriceOracle. specs: protocol/jovian/derivation.md
  ['0x4210000000000000000000000000000000000006', '0x5f885ca815d2cf27a203123e50b8ae204fdca910b6995d90b2d7700cbb9240d1'],
  ['0x4210000000000000000000000000000000000007', '0xe9fc7c96c4db0d6078e3d359d7e8c982c350a513cb2c31121adf5e1e8a446614'],
]

export const UPGRADE_CODE_HASHES: Readonly<Record<Address, Hash>> = Object.fromEntries(
  STATED.map(([deployer, codeHash]) => [toAddress(deployer), toHash(codeHash)]),
)
