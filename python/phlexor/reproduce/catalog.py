"""The items, in the order of the page. Numbers [1], [2] .. are those of the sources."""

from __future__ import annotations

from typing import List

from . import beams, convergence, four_bar, mechanisms
from .page import Entry, Missing, Source

__all__ = ["ENTRIES", "INTRODUCTION", "MISSING", "SOURCES", "TITLE"]

TITLE = "The papers recomputed"

INTRODUCTION = (
    "Every table and figure of the papers behind Phlexor that Phlexor can compute, computed when this page was "
    "made. The column Phlexor has the value found. Published is what the paper prints; half a unit of its last "
    "digit is allowed where nothing else is said. Reference is a value of theory, or of a program that shares "
    "nothing with Phlexor: most figures of the papers print no numbers, and no paper prints as many digits as can "
    "be checked.\n\nA value passes when it meets all that it is held against. It is explained when it meets the "
    "reference but not the published value, and the line below it says why: a misprint, or units that do not fit "
    "together. Anything else fails. What is shown has nothing to be held against.\n\nBelow each item stands how to "
    "get its values by hand, and the model, to be saved under its name."
)

SOURCES = [
    Source("ph", "A. Brugnoli, D. Alazard, V. Pommier-Budinger, D. Matignon: Port-Hamiltonian flexible multibody "
           "dynamics. Multibody System Dynamics (2020).", "https://doi.org/10.1007/s11044-020-09758-6"),
    Source("titop", "J. Chebbi, V. Dubanchet, J. A. Perez Gonzalez, D. Alazard: Linear dynamics of flexible multibody "
           "systems: a system-based approach. Multibody System Dynamics 41 (2017) 75-100.",
           "https://doi.org/10.1007/s11044-016-9559-y"),
    Source("response", "A. Brugnoli, D. Alazard, V. Pommier-Budinger, D. Matignon: Port-Hamiltonian flexible multibody "
           "dynamics. Response to reviewers."),
    Source("slides", "A. Brugnoli: Port-Hamiltonian flexible multibody dynamics. Slides, INFIDHEM meeting, 20 October "
           "2020."),
]

MISSING = [
    Missing("slides", "Results: Kirchhoff plate welded to a rigid rod",
            "Phlexor has no plates yet. The slides print no numbers."),
    Missing("ph", "Figures 1-3, 5, 7, 9", "sketches and block diagrams, without values."),
    Missing("titop", "Figures 1-8, 10-12, 16-25", "sketches and block diagrams, without values."),
    Missing("titop", "Table 2", "the data of the four-bar mechanism, which are those of the models above."),
    Missing("response", "Reviewer 2, comment 6, processor times", "the response announces them and prints none."),
]


def _table(number: int, ends: str, inverted: str) -> Entry:
    return Entry(
        f"table-{number}", f"Beam, {ends}", "titop", f"Table {number}", f"Chebbi et al., Table {number}", beams.table,
        text="A beam with EI = 1, mass 1 and length 1 as one element with the quintic shapes (15). The boundary "
             "conditions are made by inverting channels of its two-port model, and a second time by joints to the "
             "ground. Pulsations in sqrt(EI/(ρSl⁴)); Δω is the distance from beam theory in percent.",
        command=f"phlexor titop beam.yaml --body beam --ports C --invert {inverted}", model="beam.yaml")


ENTRIES: List[Entry] = [
    Entry("revolute-joint", "Revolute joint as transformer and as gyrator", "ph", "Figure 4, equations (41)-(44), (47)",
          "Brugnoli et al., Figure 4", mechanisms.joint,
          text="Two beams with an angle of 40° between them, as port-Hamiltonian descriptor systems with the "
               "forces at their ends as ports: connected by a transformer, and by a gyrator after the causality of "
               "one of them has been exchanged. The paper says that both are the same system. Without the "
               "multipliers (47) it has to have the pulsations of the model that is assembled with a joint.",
          command="phlexor linearize two_beams.yaml --form descriptor -o two_beams.json \\\n"
                  "    --inputs first.C.fx,first.C.fy,second.P.fx,second.P.fy --outputs first.C.ax",
          model="two_beams.yaml",
          notes=["In the block [2,1] of the system that the gyrator makes the paper prints C where Cᵀ must stand."]),
    Entry("four-bar", "Four-bar mechanism of finite elements", "ph", "Figure 6, Table 1",
          "Brugnoli et al., Figure 6", four_bar.four_bar,
          text="The first pulsations of the mechanism of Table 1 over a turn of the crank, which is clamped to the "
               "ground: beams of cubic Hermite elements with discontinuous moments, joined at the level of "
               "velocities, linearised. The values of the independent programs are for the same elements (4 a "
               "link) and for continuous links (dynamic stiffness). The paper draws its curves over those of [2] "
               "and prints no numbers.",
          command="phlexor modes four_bar.yaml\n"
                  "phlexor modes four_bar.yaml --set n=16",
          model="four_bar.yaml",
          notes=["The paper's eigenproblem prints EΦ = JΦΛ; with E e' = J e it is EΦΛ = JΦ.",
                 "The lumped masses sit at P of links 2 and 3, as its equation (48) has them; none is at a pivot "
                 "on the ground. The branch is the open one, C above the ground. The crossed branch is its mirror "
                 "image, ω(360° − θ₁): it has the same pulsations at 0° and 180°, and others at 45°."]),
    Entry("crank-slider", "Rotating crank-slider with a flexible coupler", "ph", "Figure 8",
          "Brugnoli et al., Figure 8", mechanisms.crank_slider,
          text="Two turns of the crank at 150 rad/s, the coupler undeformed at the start. The independent program "
               "has another formulation and the same 8 elements. Figure 8 prints no numbers; the paper says of its "
               "right part that it agrees with Ellenbroek and Schilder (2018).\n\nShown beside it: the same with "
               "the constant mass matrix (34) of the paper (`kinetics: simplified`, which does not conserve energy "
               "and is a few percent off), and started with the deformation in equilibrium, which the paper "
               "proposes against the oscillations of the left part.",
          command="phlexor simulate crank_slider.yaml --integrator radau5 --rtol 1e-7 --csv crank_slider.csv",
          model="crank_slider.yaml",
          notes=["(34) with the mass operator (33), read literally, has no z_u, and the centrifugal force on the "
                 "deformation comes out doubled. Phlexor keeps the full mass matrix M(q) unless asked not to."]),
    Entry("hinged-beam", "Hinged spatial beam", "ph", "Figure 10, Table 2",
          "Brugnoli et al., Figure 10", mechanisms.hinged_beam,
          text="A bar on a spherical joint: a torque about the vertical, then a blow at the free end out of the "
               "plane. The printed units are not consistent. Read here: lengths in mm, times in ms, E = 2.1e6 "
               "N/mm², ρ = 7800 kg/m³, M_Z = 200 N mm during 10.2 ms, F_Z = 100 N at 15 ms; the length of the blow "
               "is not printed and taken as 1 ms. The independent program has the same 4 elements.",
          command="phlexor simulate hinged_beam.yaml --integrator radau5 --rtol 5e-6 --csv hinged_beam.csv",
          model="hinged_beam.yaml",
          notes=["The caption calls the left part kinetic energy, the text total energy. It is the total energy "
                 "here."]),
    Entry("table-1", "Beam clamped at one end: polynomials against assumed modes", "titop", "Table 1",
          "Chebbi et al., Table 1", beams.table_1,
          text="The two lowest pulsations of the clamped-free model of a beam, and of its inverse, the "
               "free-clamped model: from the quintic shapes (15) and from 4, 8 and 16 assumed modes (13). Beam "
               "theory has one answer for both ends. Pulsations in sqrt(EI/(ρSl⁴)).",
          command="phlexor titop beam.yaml --body beam --ports C\n"
                  "phlexor titop beam_assumed.yaml --set n=8 --body beam --ports C \\\n"
                  "    --invert beam.C.fx,beam.C.fy,beam.C.tz,beam.P.ax,beam.P.ay,beam.P.alpha",
          model="beam_assumed.yaml",
          notes=["(12) prints velocities v_P, α_P among its inputs; they are accelerations. (13) has to be divided "
                 "by sqrt(ρSl) to be orthonormal, as the text says it is. In (27) the channel list is K = [1 … "
                 "i−1, m, i … m−1]."]),
    _table(3, "free at both ends", "beam.P.ay,beam.P.alpha"),
    _table(4, "clamped at both ends", "beam.C.fy,beam.C.tz"),
    _table(5, "pinned and free", "beam.P.alpha"),
    _table(6, "pinned and clamped", "beam.C.fy,beam.C.tz,beam.P.alpha"),
    _table(7, "pinned at both ends", "beam.C.fy,beam.P.alpha"),
    _table(8, "sliding and free", "beam.P.ay"),
    _table(9, "sliding and clamped", "beam.C.fy,beam.C.tz,beam.P.ay"),
    _table(10, "sliding and pinned", "beam.C.fy,beam.P.ay"),
    _table(11, "sliding at both ends", "beam.C.tz,beam.P.ay"),
    Entry("matrices", "Matrices of the quintic beam", "titop", "Equations (16), (17), (23)",
          "Chebbi et al., Equations (16), (17), (23)", four_bar.matrices,
          text="The two-port model of the crank of the four-bar mechanism, one element, against every printed "
               "entry: the largest relative difference of each matrix.",
          command="phlexor titop four_bar_quintic.yaml --body crank --ports C -o crank.json",
          model="four_bar_quintic.yaml",
          notes=["In (23) the second row on the left is the second derivative of δ_u. In (18) q(3) stands with a "
                 "dot that it has not. The first row of T in (24) has to pick channel 5: [0 0 0 0 1 0]."]),
    Entry("beam-shapes", "Mode shapes of the free-clamped beam", "titop", "Figure 9",
          "Chebbi et al., Figure 9", beams.shapes,
          text="The two lowest modes of the quintic beam with all channels inverted, from the eigenvectors by "
               "(22), and a second time from the beam with a joint; beside them the shapes of beam theory.",
          command="phlexor titop beam.yaml --body beam --ports C \\\n"
                  "    --invert beam.C.fy,beam.C.tz,beam.P.ay,beam.P.alpha -o beam.json",
          model="beam.yaml"),
    Entry("titop-four-bar", "Four-bar mechanism of two-port models", "titop", "Figure 13",
          "Chebbi et al., Figure 13", four_bar.titop,
          text="The three links as two-port models, connected as in figure 12: pulsations of the 30-state model "
               "from the torque on the crank to its acceleration (free), and of its inverse (clamped), at 73 "
               "angles. Then the same links with joints instead of blocks. The figure prints no numbers.",
          command="phlexor modes four_bar_quintic.yaml",
          model="four_bar_quintic.yaml"),
    Entry("four-bar-shapes", "Mode shapes of the four-bar mechanism", "titop", "Figures 14 and 15",
          "Chebbi et al., Figures 14 and 15", four_bar.shapes,
          text="The first three modes with the crank clamped at 0° and 180°. The shapes have to leave the joints "
               "closed, which their pulsations do not tell.",
          command="phlexor modes four_bar_quintic.yaml --set theta1=0 -o modes.h5\n"
                  "phlexor modes four_bar_quintic.yaml --set theta1=pi -o modes.h5",
          model="four_bar_quintic.yaml"),
    Entry("convergence", "Convergence of a simply supported beam", "response", "Reviewer 2, comment 6",
          "Response to reviewers, comment 6 of reviewer 2", convergence.convergence,
          text="A beam with a known vertical vibration, cubic Hermite elements with discontinuous linear moments: "
               "the largest errors over one second on 2 to 32 elements, and the order between 16 and 32. Problem A "
               "vibrates freely, problem B under a load. The response claims quadratic convergence in these norms."),
    Entry("energy", "Lossless systems", "response", "Reviewer 2, comment 1, equation (4)",
          "Response to reviewers, equation (4)", mechanisms.energy,
          text="H(t₁) − H(t₀) = ∫u·y dt over whole simulations with the midpoint rule: nothing is lost but "
               "rounding, at any step size.",
          command="phlexor simulate double_pendulum.yaml",
          model="double_pendulum.yaml"),
    Entry("drift", "Drift of constraints at the level of velocities", "response", "Reviewer 2, comment 4",
          "Response to reviewers, comment 4 of reviewer 2", mechanisms.drift,
          text="\"It is well-known that a drift appears\" when constraints are imposed at the level of velocities; "
               "the paper uses no stabilisation. Phlexor's midpoint rule is built so that it closes the joints "
               "themselves, without stabilisation: their gaps stay at rounding. The other integrators are shown.",
          command="phlexor simulate double_pendulum.yaml\n"
                  "phlexor simulate double_pendulum.yaml --integrator ida --rtol 1e-6 --end 2",
          model="double_pendulum.yaml"),
]
