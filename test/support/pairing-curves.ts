import { createPairingCurves } from '../../packages/node/src/crypto/pairing-curves.ts'

export const pairingCurves = await createPairingCurves()
