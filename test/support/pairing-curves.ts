/** Curves as the node has them, opened once. */
import { createPairingCurves } from '../../packages/node/src/crypto/pairing-curves.ts'

export const pairingCurves = await createPairingCurves()
