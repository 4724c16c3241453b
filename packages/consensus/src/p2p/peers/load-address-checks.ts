/** Loads the checks of peer addresses, and with them the network libraries, on demand. */
export const loadAddressChecks = () => import('./peer-address.ts')
