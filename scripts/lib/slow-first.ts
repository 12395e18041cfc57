import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Has slow files tried first, or one worker ends up with a long one when the other has nothing left. How long each took is
 * known of an earlier run alone; without one the larger come first, and some of the slowest are of few lines.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: readonly TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification): boolean => /\.(slow|long)\.test\.ts$/.test(moduleId);
    const { slow = [], quick = [] } = Object.groupBy(await super.sort([...files]), (file) =>
      isSlow(file) ? "slow" : "quick",
    );
    return [...slow, ...quick];
  }
}
