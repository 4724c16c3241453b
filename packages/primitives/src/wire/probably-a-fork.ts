export const PROBABLY_A_FORK = 'the chain has probably activated a fork that this release does not implement; install a release that does'
