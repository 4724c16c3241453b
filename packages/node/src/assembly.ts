/** Parts of the roles for the simulator, which assembles them on simulated machines. */
export { engineVersionsFor } from './commands/consensus/engine-versions.ts'
export { createStakeAtStart } from './commands/validator/run/stake-at-start.ts'
export { compress, decompress } from './crypto/compression.ts'
export { createBlockingKzg } from './crypto/kzg-verifier.ts'
export { createNativeCrypto } from './crypto/native-crypto.ts'
